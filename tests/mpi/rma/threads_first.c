// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// One thread of each rank does GETs from a new window while the other does the window's first atomic
// operation; several windows, one after the other. What the library sets up for a window's first
// operations must not disturb those of other threads: MPICH makes a table of targets at the first
// active message, while a GET looks into it without a lock. Allocations as large as that table's take
// long here, so that GETs come meanwhile.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>
#include "csp_test_rma.h"

enum { WINDOWS = 5, TABLE_BYTES = 512, TABLE_US = 20000, BETWEEN_GETS_US = 1000 };

static MPI_Win win;
static int first; // the atomic operation is under way

void *calloc(size_t n, size_t bytes)
{
    static void *(*next)(size_t, size_t);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "calloc");
    if (n * bytes == TABLE_BYTES && __atomic_load_n(&first, __ATOMIC_ACQUIRE))
        usleep(TABLE_US);
    return next(n, bytes);
}

static void *get(void *unused)
{
    (void)unused;
    int target = (csp_test_rank + 2) % csp_test_size, got = -1;
    do {
        usleep(BETWEEN_GETS_US);
        MPI_Get(&got, 1, MPI_INT, target, 1, 1, MPI_INT, win);
    } while (__atomic_load_n(&first, __ATOMIC_ACQUIRE));
    MPI_Win_flush(target, win);
    CHECK_INT(got, 1 + target);
    return NULL;
}

static void use_new_window(void)
{
    pthread_t thread;
    const int one = 1, target = (csp_test_rank + 1) % csp_test_size;
    int old = -1, *base = csp_test_win_new(2 * sizeof(int), sizeof(int), MPI_COMM_WORLD, &win);
    csp_test_own(win, MPI_COMM_WORLD);
    base[0] = 0;
    base[1] = 1 + csp_test_rank;
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int t = 0; t < csp_test_size; t++) // connections are there from now on
        MPI_Get(&old, 1, MPI_INT, t, 1, 1, MPI_INT, win);
    MPI_Win_flush_all(win);
    __atomic_store_n(&first, 1, __ATOMIC_RELEASE);
    pthread_create(&thread, NULL, get, NULL);
    MPI_Fetch_and_op(&one, &old, MPI_INT, target, 0, MPI_SUM, win);
    __atomic_store_n(&first, 0, __ATOMIC_RELEASE);
    MPI_Win_flush(target, win);
    CHECK_INT(old, 0);
    pthread_join(thread, NULL);
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
