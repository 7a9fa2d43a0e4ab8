// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Exclusive locks exclude: non-atomic read-modify-write of one counter by all ranks, target
// included, never loses an update; targets in turn on every rank.
#include "csp_test_rma.h"

enum { ROUNDS = 12, N = 4 };

static void update(MPI_Win win, int target)
{
    long v[N];
    csp_test_poison(v, sizeof v);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Get(v, N, MPI_LONG, target, 0, N, MPI_LONG, win);
    MPI_Win_flush(target, win);
    for (int i = 1; i < N; i++)
        CHECK_INT(v[i], v[0] + i);
    for (int i = 0; i < N; i++)
        v[i]++;
    MPI_Put(v, N, MPI_LONG, target, 0, N, MPI_LONG, win);
    MPI_Win_unlock(target, win);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    long *base = csp_test_win_new(sizeof(long) * N, sizeof(long), MPI_COMM_WORLD, &win);
    for (int target = 0; target < csp_test_size; target++) {
        csp_test_own(win, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++)
            base[i] = i;
        csp_test_unown(win, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int r = 0; r < ROUNDS; r++)
            update(win, target);
        MPI_Barrier(MPI_COMM_WORLD);
        csp_test_own(win, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++)
            CHECK_INT(base[i], i + (csp_test_rank == target ? ROUNDS * csp_test_size : 0));
        csp_test_unown(win, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
