// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// flush, flush_all, flush_local, flush_local_all: what each promises, in lock_all and in lock.
#include "csp_test_rma.h"

enum { N = 64, ROUNDS = 20 };

// After a local flush the origin buffer may be changed, and what was put is what it held.
static void local(MPI_Win win, int to, int all, int *base)
{
    int buf[N], from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < N; i++)
            buf[i] = csp_test_rank * 100000 + r * N + i;
        MPI_Put(buf, N, MPI_INT, to, (MPI_Aint)r * N, N, MPI_INT, win);
        if (all)
            MPI_Win_flush_local_all(win);
        else
            MPI_Win_flush_local(to, win);
    }
    csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    for (int i = 0; i < N * ROUNDS; i++)
        CHECK_INT(base[i], from * 100000 + i);
}

// After a local flush the result of a get is there.
static void local_get(MPI_Win win, int to)
{
    int got[N];
    MPI_Win_lock_all(0, win);
    for (int r = 0; r < ROUNDS; r++) {
        csp_test_poison(got, sizeof got);
        MPI_Get(got, N, MPI_INT, to, (MPI_Aint)r * N, N, MPI_INT, win);
        MPI_Win_flush_local(to, win);
        for (int i = 0; i < N; i++)
            CHECK_INT(got[i], csp_test_rank * 100000 + r * N + i);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

// After a flush another rank sees the data.
static void remote(MPI_Win win, int to, int all)
{
    int buf[N], got[N], far = (csp_test_rank + 2) % csp_test_size;
    for (int i = 0; i < N; i++)
        buf[i] = csp_test_rank * 1000 + i;
    MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win);
    MPI_Put(buf, N, MPI_INT, to, 0, N, MPI_INT, win);
    if (all)
        MPI_Win_flush_all(win);
    else
        MPI_Win_flush(to, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock(to, win);
    csp_test_poison(got, sizeof got);
    MPI_Win_lock(MPI_LOCK_SHARED, far, 0, win);
    MPI_Get(got, N, MPI_INT, far, 0, N, MPI_INT, win);
    MPI_Win_flush(far, win);
    int writer = (far + csp_test_size - 1) % csp_test_size;
    for (int i = 0; i < N; i++)
        CHECK_INT(got[i], writer * 1000 + i);
    MPI_Win_unlock(far, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * N * ROUNDS, sizeof(int), MPI_COMM_WORLD, &win);
    int to = (csp_test_rank + 1) % csp_test_size;
    for (int all = 0; all < 2; all++) {
        PHASE("flush_local");
        local(win, to, all, base);
        local_get(win, to);
        PHASE("flush");
        remote(win, to, all);
    }
    PHASE("empty flushes");
    MPI_Win_lock_all(0, win);
    MPI_Win_flush_all(win);
    MPI_Win_flush_local_all(win);
    MPI_Win_flush(to, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return csp_test_done();
}
