// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// An exclusive lock is granted though two processes of the other node hold lock_all by turns, so that one of them
// holds it at any time: the lock_alls that begin after the request wait for it. The two ask for the target's
// node when they first use it, or at once (CSP_LOCK_DEFER=0).
#include "casper_only.h"

static const double PERIOD = 0.04, LIMIT = 3.0; // seconds

static void until(double when)
{
    double left = when - MPI_Wtime();
    if (left > 0)
        casper_only_compute(left);
}

// Unlocks and locks again at `phase` of each period; the other one is half a period away from it.
static void lock_again_and_again(MPI_Win win, double begin, double phase)
{
    int one = 1, old = -1;
    until(begin + phase * PERIOD);
    for (int k = 0; k * PERIOD < LIMIT; k++) {
        MPI_Win_lock_all(0, win);
        MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
        until(begin + (k + 1 + phase) * PERIOD);
        MPI_Win_unlock_all(win);
        CHECK(old >= 0);
    }
}

static void lock_exclusive(MPI_Win win, double begin)
{
    int one = 1, old = -1;
    until(begin + 3 * PERIOD);
    PHASE("exclusive lock");
    double asked = MPI_Wtime();
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    double waited = MPI_Wtime() - asked;
    MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 1, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    CHECK_INT(old, 0);
    CHECK_MSG(waited < LIMIT / 3, "waited %.2f s for an exclusive lock", waited);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    casper_only_two_by_two(&win);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    if (csp_test_rank >= 2)
        lock_again_and_again(win, begin, csp_test_rank == 2 ? 0 : 0.5);
    else if (csp_test_rank == 1)
        lock_exclusive(win, begin);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return csp_test_done();
}
