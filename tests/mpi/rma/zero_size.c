// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Windows in which some or all ranks expose nothing.
#include "csp_test_rma.h"

static void half_empty(int parity)
{
    enum { N = 16 };
    MPI_Win win;
    int mine = csp_test_rank % 2 == parity;
    MPI_Aint bytes = mine ? N * (MPI_Aint)sizeof(int) : 0;
    int *base = csp_test_win_new(bytes, sizeof(int), MPI_COMM_WORLD, &win), src[N], *size_attr,
        flag;
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &size_attr, &flag);
    CHECK(flag && *(MPI_Aint *)size_attr == bytes);
    for (int i = 0; i < N; i++)
        src[i] = csp_test_rank + i;
    FOR_EACH_EPOCH(kind)
    {
        csp_test_win_fill(win, MPI_COMM_WORLD, base, bytes, 0);
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
        for (int t = parity; t < csp_test_size; t += 2)
            MPI_Accumulate(src, N, MPI_INT, t, 0, N, MPI_INT, MPI_SUM, win);
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
        for (int i = 0; mine && i < N; i++)
            CHECK_INT(base[i], csp_test_size * (csp_test_size - 1) / 2 + i * csp_test_size);
    }
    MPI_Win_free(&win);
}

static void all_empty(void)
{
    MPI_Win win;
    csp_test_win_new(0, 1, MPI_COMM_WORLD, &win);
    FOR_EACH_EPOCH(kind)
    {
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
    }
    MPI_Win_free(&win);
}

int main(void)
{
    csp_test_init();
    half_empty(0);
    if (csp_test_size > 1)
        half_empty(1);
    all_empty();
    return csp_test_done();
}
