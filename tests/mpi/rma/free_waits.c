// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Win_free waits for everybody (the window may still be locked by others until they free it
// too): nobody returns before the last has called.
#include "csp_test_rma.h"

int main(void)
{
    csp_test_init();
    for (int late = 0; late < csp_test_size; late++) {
        MPI_Win win;
        csp_test_win_new(64, 1, MPI_COMM_WORLD, &win);
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        if (csp_test_rank == late)
            usleep(200000);
        MPI_Win_free(&win);
        CHECK(win == MPI_WIN_NULL);
        CHECK_MSG(MPI_Wtime() - start > 0.15, "free returned after %.3f s", MPI_Wtime() - start);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return csp_test_done();
}
