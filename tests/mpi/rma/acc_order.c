// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Accumulates from one origin to one location are applied in program order (the default
// accumulate_ordering), whatever calls they are: of a series of REPLACE the last one wins, and a
// Get_accumulate or Fetch_and_op in between sees all before it and none after.
#include "csp_test_rma.h"

enum { N = 16, SERIES = 40 };

static void replace_series(MPI_Win win, int *base, int target)
{
    int src[SERIES][N];
    csp_test_win_fill(win, MPI_COMM_WORLD, base, (MPI_Aint)sizeof(int) * N * csp_test_size, 0);
    MPI_Win_lock_all(0, win);
    for (int s = 0; s < SERIES; s++) {
        int n = s % 3 == 0 ? N : 1; // long and short ones
        for (int i = 0; i < n; i++)
            src[s][i] = s + 1;
        MPI_Accumulate(src[s], n, MPI_INT, target, (MPI_Aint)csp_test_rank * N, n, MPI_INT,
                       MPI_REPLACE, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    csp_test_own(win, MPI_COMM_WORLD);
    const int *slot = base + (csp_test_rank + csp_test_size - 1) % csp_test_size * N;
    CHECK_INT(slot[0], SERIES);
    for (int i = 1; i < N; i++)
        CHECK_INT(slot[i], (SERIES - 1) / 3 * 3 + 1);
    csp_test_unown(win, MPI_COMM_WORLD);
}

static void mixed_series(MPI_Win win, int *base, int target)
{
    int src[SERIES], got[SERIES];
    csp_test_poison(got, sizeof got);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, (MPI_Aint)sizeof(int) * N * csp_test_size, 0);
    MPI_Win_lock_all(0, win);
    for (int s = 0; s < SERIES; s++) {
        MPI_Aint at = (MPI_Aint)csp_test_rank * N;
        src[s] = s + 1;
        if (s % 3 == 0)
            MPI_Accumulate(&src[s], 1, MPI_INT, target, at, 1, MPI_INT, MPI_REPLACE, win);
        else if (s % 3 == 1)
            MPI_Fetch_and_op(&src[s], &got[s], MPI_INT, target, at, MPI_REPLACE, win);
        else
            MPI_Get_accumulate(&src[s], 1, MPI_INT, &got[s], 1, MPI_INT, target, at, 1, MPI_INT,
                               MPI_REPLACE, win);
    }
    MPI_Win_unlock_all(win);
    for (int s = 0; s < SERIES; s++)
        if (s % 3 != 0)
            CHECK_INT(got[s], s);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new((MPI_Aint)sizeof(int) * N * csp_test_size, sizeof(int),
                                 MPI_COMM_WORLD, &win);
    int next = (csp_test_rank + 1) % csp_test_size;
    for (int round = 0; round < 5; round++) {
        replace_series(win, base, next);
        mixed_series(win, base, next);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
