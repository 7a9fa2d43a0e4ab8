// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Accumulate, Get_accumulate, Fetch_and_op and Compare_and_swap by all ranks on one location at the
// same time: all of them are atomic towards each other, so no increment is lost.
#include "csp_test_rma.h"

enum { ROUNDS = 15, CALLS = 4 };

static void increment(MPI_Win win, int target, int call)
{
    const int one = 1;
    int old = 0, next, found = -1;
    switch (call) {
    case 0:
        MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win);
        break;
    case 1:
        MPI_Get_accumulate(&one, 1, MPI_INT, &old, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win);
        break;
    case 2:
        MPI_Fetch_and_op(&one, &old, MPI_INT, target, 0, MPI_SUM, win);
        break;
    default:
        while (found != old) {
            old = found < 0 ? 0 : found;
            next = old + 1;
            MPI_Compare_and_swap(&next, &old, &found, MPI_INT, target, 0, win);
            MPI_Win_flush(target, win);
        }
    }
    MPI_Win_flush(target, win);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int), sizeof(int), MPI_COMM_WORLD, &win);
    for (int target = 0; target < csp_test_size; target++) {
        csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(int), 0);
        MPI_Win_lock_all(0, win);
        for (int i = 0; i < ROUNDS; i++)
            increment(win, target, (csp_test_rank + i) % CALLS);
        MPI_Win_unlock_all(win);
        MPI_Barrier(MPI_COMM_WORLD);
        csp_test_own(win, MPI_COMM_WORLD);
        CHECK_INT(*base, csp_test_rank == target ? ROUNDS * csp_test_size : 0);
        csp_test_unown(win, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
