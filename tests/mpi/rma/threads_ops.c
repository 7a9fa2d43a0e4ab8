// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Several threads of each rank use one window in one lock_all epoch, and another each has to
// itself, with their own flushes; sums and single-writer slots come out right.
#include <pthread.h>
#include "csp_test_rma.h"

enum { THREADS = 3, OPS = 60 };

static MPI_Win common, own[THREADS];

static void *work(void *arg)
{
    const int thread = (int)(intptr_t)arg, one = 1;
    for (int i = 0; i < OPS; i++) {
        int t = (csp_test_rank + i) % csp_test_size, old = -1, got = -1;
        int value = csp_test_rank * 10000 + thread * 1000 + i;
        MPI_Aint slot = 4 + csp_test_rank * THREADS + thread;
        MPI_Fetch_and_op(&one, &old, MPI_INT, t, 0, MPI_SUM, common);
        MPI_Accumulate(&one, 1, MPI_INT, t, 1 + thread, 1, MPI_INT, MPI_SUM, common);
        MPI_Put(&value, 1, MPI_INT, t, slot, 1, MPI_INT, common);
        MPI_Put(&value, 1, MPI_INT, t, csp_test_rank, 1, MPI_INT, own[thread]);
        MPI_Win_flush(t, common);
        CHECK(old >= 0);
        MPI_Win_flush(t, own[thread]);
        MPI_Get(&got, 1, MPI_INT, t, slot, 1, MPI_INT, common);
        if (i % 2)
            MPI_Win_flush(t, common);
        else
            MPI_Win_flush_all(common);
        CHECK_INT(got, value);
    }
    return NULL;
}

static void check(int *base)
{
    int sum = 0;
    csp_test_own(common, MPI_COMM_WORLD);
    for (int i = 1; i <= THREADS; i++)
        sum += base[i];
    CHECK_INT(base[0], sum);
    csp_test_unown(common, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(sum, THREADS * OPS * csp_test_size);
}

int main(void)
{
    int provided;
    pthread_t threads[THREADS];
    csp_test_init_thread(MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        csp_test_skip("no MPI_THREAD_MULTIPLE");
    csp_test_need_windows();
    MPI_Aint bytes = (MPI_Aint)sizeof(int) * (4 + THREADS * csp_test_size);
    int *base = csp_test_win_new(bytes, sizeof(int), MPI_COMM_WORLD, &common);
    csp_test_win_fill(common, MPI_COMM_WORLD, base, bytes, 0);
    for (int t = 0; t < THREADS; t++) {
        csp_test_win_new(bytes, sizeof(int), MPI_COMM_WORLD, &own[t]);
        MPI_Win_lock_all(0, own[t]);
    }
    MPI_Win_lock_all(0, common);
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, work, (void *)(intptr_t)t);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    MPI_Win_unlock_all(common);
    for (int t = 0; t < THREADS; t++)
        MPI_Win_unlock_all(own[t]);
    MPI_Barrier(MPI_COMM_WORLD);
    check(base);
    for (int t = 0; t < THREADS; t++)
        MPI_Win_free(&own[t]);
    MPI_Win_free(&common);
    return csp_test_done();
}
