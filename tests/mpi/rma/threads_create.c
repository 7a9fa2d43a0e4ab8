// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Several threads of each rank create, use and free windows at the same time, each thread on a
// communicator of its own over the same ranks; sizes above and below what fits a small pool.
#include <pthread.h>
#include "csp_test_rma.h"

enum { THREADS = 3, ROUNDS = 8 };

static MPI_Comm comms[THREADS];

static void one_window(MPI_Comm comm, int thread, int round)
{
    MPI_Win win;
    int *base, value = csp_test_rank * 1000 + thread * 100 + round;
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    MPI_Aint bytes = round % 3 == 2 ? 2 << 20 : 256;
    MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, comm, &base, &win);
    MPI_Win_lock_all(0, win);
    base[0] = -1;
    MPI_Win_sync(win);
    MPI_Barrier(comm);
    MPI_Put(&value, 1, MPI_INT, to, 0, 1, MPI_INT, win);
    MPI_Win_flush(to, win);
    MPI_Barrier(comm);
    MPI_Win_sync(win);
    CHECK_INT(base[0], from * 1000 + thread * 100 + round);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static void *work(void *arg)
{
    int thread = (int)(intptr_t)arg;
    for (int r = 0; r < ROUNDS; r++)
        one_window(comms[thread], thread, r);
    return NULL;
}

int main(void)
{
    int provided;
    pthread_t threads[THREADS];
    csp_test_init_thread(MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        csp_test_skip("no MPI_THREAD_MULTIPLE");
    csp_test_need_windows();
    for (int t = 0; t < THREADS; t++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, work, (void *)(intptr_t)t);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++)
        MPI_Comm_free(&comms[t]);
    return csp_test_done();
}
