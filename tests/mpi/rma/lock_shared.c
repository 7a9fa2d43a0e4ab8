// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Shared locks are shared: all ranks hold one on the same target at the same time (a barrier inside
// proves it), for every target at once too.
#include "csp_test_rma.h"

int main(void)
{
    csp_test_init();
    MPI_Win win;
    const int one = 1;
    int *base = csp_test_win_new(sizeof(int), sizeof(int), MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(int), 0);
    for (int target = 0; target < csp_test_size; target++) {
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
        MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_flush(target, win); // the lock is held now, if it was not before
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_unlock(target, win);
    }
    for (int target = 0; target < csp_test_size; target++)
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    for (int target = 0; target < csp_test_size; target++)
        MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int target = 0; target < csp_test_size; target++)
        MPI_Win_unlock(target, win);
    MPI_Barrier(MPI_COMM_WORLD);
    csp_test_own(win, MPI_COMM_WORLD);
    CHECK_INT(*base, 2 * csp_test_size);
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return csp_test_done();
}
