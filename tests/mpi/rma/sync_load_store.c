// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Inside lock_all, MPI_Win_sync makes stores of the owner visible to remote GETs and remote PUTs
// visible to its loads; two ranks play ping-pong this way, with no other synchronisation than a
// message.
#include "csp_test_rma.h"

enum { ROUNDS = 100 };

static void owner(MPI_Win win, volatile int *base, int peer)
{
    for (int r = 1; r <= ROUNDS; r++) {
        base[0] = r;
        MPI_Win_sync(win);
        MPI_Sendrecv(NULL, 0, MPI_INT, peer, 0, NULL, 0, MPI_INT, peer, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Recv(NULL, 0, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_sync(win);
        CHECK_INT(base[1], 2 * r);
    }
}

static void visitor(MPI_Win win, int peer)
{
    for (int r = 1; r <= ROUNDS; r++) {
        int got = -1, back;
        MPI_Sendrecv(NULL, 0, MPI_INT, peer, 0, NULL, 0, MPI_INT, peer, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Get(&got, 1, MPI_INT, peer, 0, 1, MPI_INT, win);
        MPI_Win_flush(peer, win);
        CHECK_INT(got, r);
        back = 2 * got;
        MPI_Put(&back, 1, MPI_INT, peer, 1, 1, MPI_INT, win);
        MPI_Win_flush(peer, win);
        MPI_Send(NULL, 0, MPI_INT, peer, 1, MPI_COMM_WORLD);
    }
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * 4, sizeof(int), MPI_COMM_WORLD, &win);
    for (int other = 1; other < csp_test_size; other++) {
        csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(int) * 4, 0);
        MPI_Win_lock_all(0, win);
        if (csp_test_rank == 0)
            visitor(win, other);
        else if (csp_test_rank == other)
            owner(win, base, 0);
        MPI_Win_unlock_all(win);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
