// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Post and start with NOCHECK after a barrier that guarantees it, NOSTORE and NOPUT; ring in both
// ways.
#include "csp_test_rma.h"

enum { ROUNDS = 10 };

int main(void)
{
    csp_test_init();
    MPI_Win win;
    MPI_Group world, around;
    int n = csp_test_size, to = (csp_test_rank + 1) % n, from = (csp_test_rank + n - 1) % n;
    int pair[] = {to, from}, got[2];
    int *base = csp_test_win_new(sizeof(int) * 4, sizeof(int), MPI_COMM_WORLD, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, to == from ? 1 : 2, pair, &around);
    for (int r = 0; r < ROUNDS; r++) {
        int value = csp_test_rank * 100 + r;
        MPI_Win_post(around, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE, win);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_start(around, MPI_MODE_NOCHECK, win);
        MPI_Put(&value, 1, MPI_INT, to, 0, 1, MPI_INT, win);
        MPI_Put(&value, 1, MPI_INT, from, 1, 1, MPI_INT, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        CHECK_INT(base[0], from * 100 + r);
        CHECK_INT(base[1], to * 100 + r);
        base[2] = value + 7;
        MPI_Win_post(around, MPI_MODE_NOPUT, win);
        MPI_Win_start(around, 0, win);
        MPI_Get(&got[0], 1, MPI_INT, to, 2, 1, MPI_INT, win);
        MPI_Get(&got[1], 1, MPI_INT, from, 2, 1, MPI_INT, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        CHECK_INT(got[0], to * 100 + r + 7);
        CHECK_INT(got[1], from * 100 + r + 7);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&around);
    MPI_Win_free(&win);
    return csp_test_done();
}
