// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Rank 1 waits half a second for a lock that rank 0 holds: for tests of the timeline (CSP_TRACE).
#include "casper_only.h"

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    MPI_Win win;
    long *base = csp_test_win_new(sizeof(long), sizeof(long), MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(long), 0);
    if (csp_test_rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (csp_test_rank == 0) {
        casper_only_compute(0.5);
        MPI_Win_unlock(0, win);
    } else if (csp_test_rank == 1) {
        long one = 1;
        double asked = MPI_Wtime();
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
        MPI_Win_unlock(0, win);
        double waited = MPI_Wtime() - asked;
        CHECK_MSG(waited > 0.3, "waited %.3f s", waited);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return csp_test_done();
}
