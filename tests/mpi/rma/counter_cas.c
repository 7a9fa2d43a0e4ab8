// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A shared counter incremented with MPI_Compare_and_swap in a loop by all ranks; the sum is exact.
#include "csp_test_rma.h"

enum { INCREMENTS = 10 };

static void increment(MPI_Win win, int target)
{
    int old = 0;
    for (;;) {
        int next = old + 1, found = -1;
        MPI_Compare_and_swap(&next, &old, &found, MPI_INT, target, 0, win);
        MPI_Win_flush(target, win);
        if (found == old)
            return;
        CHECK(found >= 0);
        old = found;
    }
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int), sizeof(int), MPI_COMM_WORLD, &win);
    for (int target = 0; target < csp_test_size; target++) {
        csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(int), 0);
        MPI_Win_lock_all(0, win);
        for (int i = 0; i < INCREMENTS; i++)
            increment(win, target);
        MPI_Win_unlock_all(win);
        MPI_Barrier(MPI_COMM_WORLD);
        csp_test_own(win, MPI_COMM_WORLD);
        CHECK_INT(*base, csp_test_rank == target ? INCREMENTS * csp_test_size : 0);
        csp_test_unown(win, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
