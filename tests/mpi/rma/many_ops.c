// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Thousands of small operations in one epoch without a flush in between, to all targets.
#include "csp_test_rma.h"

enum { OPS = 1000 };

int main(void)
{
    csp_test_init();
    MPI_Win win;
    static int src[OPS];
    const int one = 1;
    MPI_Aint bytes = sizeof(int) * OPS;
    int *base = csp_test_win_new(2 * bytes, sizeof(int), MPI_COMM_WORLD, &win);
    for (int i = 0; i < OPS; i++)
        src[i] = csp_test_rank * OPS + i;
    FOR_EACH_EPOCH(kind)
    {
        csp_test_win_fill(win, MPI_COMM_WORLD, base, 2 * bytes, 0);
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
        for (int i = 0; i < OPS; i++) {
            int t = (csp_test_rank + i) % csp_test_size;
            MPI_Put(&src[i], 1, MPI_INT, t, i, 1, MPI_INT, win);
            MPI_Accumulate(&one, 1, MPI_INT, t, OPS, 1, MPI_INT, MPI_SUM, win);
        }
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
        for (int i = 0; i < OPS; i++) {
            int from = (csp_test_rank - i % csp_test_size + csp_test_size) % csp_test_size;
            CHECK_INT(base[i], from * OPS + i);
        }
        int want = 0;
        for (int r = 0; r < csp_test_size; r++)
            for (int i = 0; i < OPS; i++)
                want += (r + i) % csp_test_size == csp_test_rank;
        CHECK_INT(base[OPS], want);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
