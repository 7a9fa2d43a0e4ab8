// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Accumulate with SUM and REPLACE from all ranks to all ranks in every kind of epoch.
#include "csp_test_rma.h"

enum { N = 100, ROUNDS = 5 };

static void sum(enum csp_test_epoch kind, MPI_Win win, long *base)
{
    long src[N];
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(long) * N, 0);
    for (int i = 0; i < N; i++)
        src[i] = i + csp_test_rank;
    csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
    for (int r = 0; r < ROUNDS; r++)
        for (int t = 0; t < csp_test_size; t++)
            MPI_Accumulate(src, N, MPI_LONG, t, 0, N, MPI_LONG, MPI_SUM, win);
    csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
    long ranks = csp_test_size;
    for (int i = 0; i < N; i++)
        CHECK_INT(base[i], ROUNDS * (ranks * i + ranks * (ranks - 1) / 2));
}

// All write at once: every element is what one of the ranks wrote.
static void replace(enum csp_test_epoch kind, MPI_Win win, long *base)
{
    long src[N];
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(long) * N, CSP_TEST_POISON);
    for (int i = 0; i < N; i++)
        src[i] = 1000 * i + csp_test_rank;
    csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
    for (int t = 0; t < csp_test_size; t++)
        MPI_Accumulate(src, N, MPI_LONG, t, 0, N, MPI_LONG, MPI_REPLACE, win);
    csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        CHECK_MSG(base[i] >= 1000 * i && base[i] < 1000 * i + csp_test_size, "[%d] is %ld", i,
                  base[i]);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    long *base = csp_test_win_new(sizeof(long) * N, sizeof(long), MPI_COMM_WORLD, &win);
    FOR_EACH_EPOCH(kind)
    {
        sum(kind, win, base);
        replace(kind, win, base);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
