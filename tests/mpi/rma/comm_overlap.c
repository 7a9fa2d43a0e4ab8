// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Windows on overlapping communicators live at the same time and are created in an order in which
// each rank meets them differently: pairs round a ring, then everybody.
#include "comms.h"

int main(void)
{
    csp_test_init();
    csp_test_need(3);
    int n = csp_test_size, me = csp_test_rank, *base[3];
    MPI_Comm pairs[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
    MPI_Win wins[3];
    // pairs[0]: with my right neighbour, pairs[1]: with my left one
    for (int i = 0; i < n; i++) {
        MPI_Comm comm;
        int member = me == i || me == (i + 1) % n;
        MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, me == i ? 0 : 1, &comm);
        if (member)
            pairs[me == i ? 0 : 1] = comm;
    }
    for (int round = 0; round < 10; round++) {
        PHASE("creation");
        // rank 0 starts with its left pair, everybody else with the right one: no circle of waits
        for (int k = 0; k < 2; k++) {
            int p = me == 0 ? 1 - k : k;
            MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, pairs[p], &base[p], &wins[p]);
        }
        base[2] = csp_test_win_new(64, sizeof(int), MPI_COMM_WORLD, &wins[2]);
        PHASE("use");
        if (round == 0)
            comm_use(wins[2], MPI_COMM_WORLD, base[2], 2);
        for (int k = 0; k < 2; k++) {
            int p = me == 0 ? 1 - k : k, peer, rank, value = me * 100 + round, got = -1;
            MPI_Comm_rank(pairs[p], &rank);
            peer = 1 - rank;
            MPI_Win_fence(0, wins[p]);
            MPI_Put(&value, 1, MPI_INT, peer, 0, 1, MPI_INT, wins[p]);
            MPI_Win_fence(0, wins[p]);
            got = base[p][0];
            CHECK_INT(got, (p == 0 ? (me + 1) % n : (me + n - 1) % n) * 100 + round);
        }
        PHASE("free");
        MPI_Win_free(&wins[2]);
        for (int k = 0; k < 2; k++)
            MPI_Win_free(&wins[me == 0 ? 1 - k : k]);
    }
    for (int p = 0; p < 2; p++)
        MPI_Comm_free(&pairs[p]);
    return csp_test_done();
}
