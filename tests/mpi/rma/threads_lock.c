// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Threads of each rank take exclusive locks on different targets of windows of their own at the
// same time, and wait for each other across ranks.
#include <pthread.h>
#include "csp_test_rma.h"

enum { THREADS = 2, ROUNDS = 10 };

static MPI_Win wins[THREADS];

static void *work(void *arg)
{
    MPI_Win win = wins[(intptr_t)arg];
    for (int i = 0; i < ROUNDS * csp_test_size; i++) {
        int t = (csp_test_rank + i + (int)(intptr_t)arg) % csp_test_size, v = -1;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, win);
        MPI_Get(&v, 1, MPI_INT, t, 0, 1, MPI_INT, win);
        MPI_Win_flush(t, win);
        v++;
        MPI_Put(&v, 1, MPI_INT, t, 0, 1, MPI_INT, win);
        MPI_Win_unlock(t, win);
    }
    return NULL;
}

int main(void)
{
    int provided, *base[THREADS];
    pthread_t threads[THREADS];
    csp_test_init_thread(MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        csp_test_skip("no MPI_THREAD_MULTIPLE");
    csp_test_need_windows();
    for (int t = 0; t < THREADS; t++) {
        base[t] = csp_test_win_new(sizeof(int), sizeof(int), MPI_COMM_WORLD, &wins[t]);
        csp_test_win_fill(wins[t], MPI_COMM_WORLD, base[t], sizeof(int), 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, work, (void *)(intptr_t)t);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int t = 0; t < THREADS; t++) {
        csp_test_own(wins[t], MPI_COMM_WORLD);
        CHECK_INT(*base[t], ROUNDS * csp_test_size);
        csp_test_unown(wins[t], MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_free(&wins[t]);
    }
    return csp_test_done();
}
