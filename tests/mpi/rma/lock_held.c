// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A lock that another rank holds makes one wait: rank 0 holds an exclusive lock on the last rank
// for half a second; what the others do there comes after, what they do elsewhere does not wait.
#include "csp_test_rma.h"

int main(void)
{
    csp_test_init();
    csp_test_need(3);
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * 16, sizeof(int), MPI_COMM_WORLD, &win), got = -1;
    int target = csp_test_size - 1, one = 1;
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(int) * 16, 0);
    for (int round = 0; round < 2; round++) {
        if (csp_test_rank == 0) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
            MPI_Put(&one, 1, MPI_INT, target, csp_test_rank, 1, MPI_INT, win);
            MPI_Win_flush(target, win);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (csp_test_rank == 0) {
            usleep(500000);
            one = 2 + round;
            MPI_Put(&one, 1, MPI_INT, target, 0, 1, MPI_INT, win);
            MPI_Win_unlock(target, win);
        } else {
            MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win); // another target: free
            MPI_Get(&got, 1, MPI_INT, 1, 1, 1, MPI_INT, win);
            MPI_Win_unlock(1, win);
            CHECK_INT(got, 0);
            MPI_Win_lock(round ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win);
            MPI_Get(&got, 1, MPI_INT, target, 0, 1, MPI_INT, win);
            MPI_Win_unlock(target, win);
            CHECK_INT(got, 2 + round);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
