// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Operations on a target that spends its time outside MPI are right (not necessarily fast): every
// rank in turn computes while the others work on its memory.
#include "csp_test_rma.h"

static void compute(double seconds)
{
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
        usleep(1000);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    const int one = 1;
    int *base = csp_test_win_new(64, sizeof(int), MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, 64, 0);
    for (int busy = 0; busy < csp_test_size; busy++) {
        MPI_Win_lock_all(0, win);
        if (csp_test_rank == busy) {
            compute(0.3);
        } else {
            int old = -1;
            for (int i = 0; i < 5; i++) {
                MPI_Accumulate(&one, 1, MPI_INT, busy, 0, 1, MPI_INT, MPI_SUM, win);
                MPI_Fetch_and_op(&one, &old, MPI_INT, busy, 1, MPI_SUM, win);
                MPI_Put(&one, 1, MPI_INT, busy, 2, 1, MPI_INT, win);
                MPI_Win_flush(busy, win);
                CHECK(old >= 0);
            }
        }
        MPI_Win_unlock_all(win);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    csp_test_own(win, MPI_COMM_WORLD);
    CHECK_INT(base[0], 5 * (csp_test_size - 1));
    CHECK_INT(base[1], 5 * (csp_test_size - 1));
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return csp_test_done();
}
