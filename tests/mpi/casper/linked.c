// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A program that is linked to libcasper instead of preloading it gets the same: hidden ghosts and
// redirected windows.
#include "casper_only.h"

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size, value;
    int *base = csp_test_win_new(64, sizeof(int), MPI_COMM_WORLD, &win);
    FOR_EACH_EPOCH(kind)
    {
        value = csp_test_rank * 10 + (int)kind;
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
        MPI_Put(&value, 1, MPI_INT, to, 0, 1, MPI_INT, win);
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
        CHECK_INT(base[0], from * 10 + (int)kind);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
