// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Locks on oneself: load and store inside, RMA to oneself, against others who do the same from
// afar.
#include "csp_test_rma.h"

enum { ROUNDS = 10 };

static void bump_own(MPI_Win win, int type, int *base)
{
    MPI_Win_lock(type, csp_test_rank, 0, win);
    int seen = *(volatile int *)base;
    if (type == MPI_LOCK_EXCLUSIVE) {
        *(volatile int *)base = seen + 1; // nobody may come between
    } else {
        const int one = 1;
        MPI_Accumulate(&one, 1, MPI_INT, csp_test_rank, 0, 1, MPI_INT, MPI_SUM, win);
    }
    MPI_Win_unlock(csp_test_rank, win);
}

static void bump_far(MPI_Win win, int type, int target)
{
    const int one = 1;
    int old = -1;
    MPI_Win_lock(type, target, 0, win);
    MPI_Fetch_and_op(&one, &old, MPI_INT, target, 0, MPI_SUM, win);
    MPI_Win_unlock(target, win);
    CHECK(old >= 0);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int), sizeof(int), MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(int), 0);
    for (int r = 0; r < ROUNDS; r++) {
        bump_own(win, MPI_LOCK_EXCLUSIVE, base);
        bump_far(win, MPI_LOCK_EXCLUSIVE, (csp_test_rank + 1) % csp_test_size);
        bump_own(win, r % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, base);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    csp_test_own(win, MPI_COMM_WORLD);
    CHECK_INT(*base, 3 * ROUNDS);
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return csp_test_done();
}
