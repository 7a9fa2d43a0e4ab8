// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Abort from inside an access epoch with operations in flight. The runner expects exit code 42.
#include "csp_test_rma.h"

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int one = 1;
    csp_test_win_new(64, sizeof(int), MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (int t = 0; t < csp_test_size; t++)
        MPI_Accumulate(&one, 1, MPI_INT, t, 0, 1, MPI_INT, MPI_SUM, win);
    if (csp_test_rank == csp_test_size - 1) {
        MPI_Win_flush_all(win);
        MPI_Abort(MPI_COMM_WORLD, 42);
    }
    PHASE("waiting for the end");
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return 0;
}
