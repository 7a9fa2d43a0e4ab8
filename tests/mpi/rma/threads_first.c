// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Two threads of each rank begin to use a window at the same moment, one with an atomic operation, the
// others with GETs; several windows, one after the other. What the library sets up for a window's first
// operations must not disturb those of the other threads: MPICH makes a table of targets at the first
// active message, while a GET looks into it without a lock. Allocations as large as that table's take
// long here, so that GETs come meanwhile.
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>
#include "csp_test_rma.h"

enum { THREADS = 2, WINDOWS = 5, TABLE_BYTES = 512 };

static MPI_Win win;
static int ready, over;

static void nap(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

void *calloc(size_t n, size_t bytes)
{
    static void *(*next)(size_t, size_t);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "calloc");
    if (n * bytes == TABLE_BYTES && __atomic_load_n(&ready, __ATOMIC_RELAXED) == THREADS)
        nap(20);
    return next(n, bytes);
}

static void *work(void *arg)
{
    const int thread = (int)(intptr_t)arg, one = 1;
    int target = (csp_test_rank + thread + 1) % csp_test_size, old = -1, got = -1;
    __atomic_add_fetch(&ready, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < THREADS)
        ;
    if (thread == 0) {
        MPI_Fetch_and_op(&one, &old, MPI_INT, target, 0, MPI_SUM, win);
        __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
    }
    do {
        nap(1);
        MPI_Get(&got, 1, MPI_INT, target, 1, 1, MPI_INT, win);
    } while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE));
    MPI_Win_flush(target, win);
    CHECK_INT(old, thread == 0 ? 0 : -1);
    CHECK_INT(got, 1 + target);
    return NULL;
}

static void use_new_window(void)
{
    pthread_t threads[THREADS];
    int got = -1, *base = csp_test_win_new(2 * sizeof(int), sizeof(int), MPI_COMM_WORLD, &win);
    csp_test_own(win, MPI_COMM_WORLD);
    base[0] = 0;
    base[1] = 1 + csp_test_rank;
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int t = 0; t < csp_test_size; t++) // connections are there from now on
        MPI_Get(&got, 1, MPI_INT, t, 1, 1, MPI_INT, win);
    MPI_Win_flush_all(win);
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, work, (void *)(intptr_t)t);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    ready = over = 0;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

int main(void)
{
    int provided;
    csp_test_init_thread(MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        csp_test_skip("no MPI_THREAD_MULTIPLE");
    csp_test_need_windows();
    for (int i = 0; i < WINDOWS; i++)
        use_new_window();
    return csp_test_done();
}
