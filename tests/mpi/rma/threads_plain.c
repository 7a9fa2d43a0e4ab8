// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// While one thread makes and frees windows with a segment of their own, another one does so with windows that stay the MPI library's.
// Their handles may be the same, one after the other; a new window is not taken for one that is just being freed.
#include <pthread.h>
#include "csp_test_rma.h"

enum { ROUNDS = 60, LARGE = 1 << 20, INTS = 16 };

static MPI_Comm own, node;

static void *make_large(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Win win;
        void *base;
        MPI_Win_allocate(LARGE, 1, MPI_INFO_NULL, own, &base, &win);
        MPI_Win_free(&win);
    }
    return NULL;
}

static void one_plain(int rank, int size, int round)
{
    const int to = (rank + 1) % size, from = (rank + size - 1) % size, value = 100 * rank + round;
    int *base, flag = 0, unit = 0;
    MPI_Aint *bytes;
    MPI_Win win;
    MPI_Win_allocate_shared(INTS * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &base, &win);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag);
    CHECK(flag && *bytes == INTS * sizeof(int));
    MPI_Win_lock_all(0, win);
    MPI_Put(&value, 1, MPI_INT, to, 3, 1, MPI_INT, win);
    MPI_Win_flush(to, win);
    MPI_Barrier(node);
    MPI_Win_sync(win);
    CHECK_INT(base[3], 100 * from + round);
    MPI_Aint size_there = 0;
    MPI_Win_shared_query(win, to, &size_there, &unit, &base);
    CHECK_INT(size_there, INTS * sizeof(int));
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

static void *make_plain(void *arg)
{
    int rank, size;
    (void)arg;
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    for (int i = 0; i < ROUNDS; i++)
        one_plain(rank, size, i);
    return NULL;
}

int main(void)
{
    int provided;
    pthread_t threads[2];
    csp_test_init_thread(MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        csp_test_skip("no MPI_THREAD_MULTIPLE");
    csp_test_need_windows();
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    pthread_create(&threads[0], NULL, make_large, NULL);
    pthread_create(&threads[1], NULL, make_plain, NULL);
    for (int t = 0; t < 2; t++)
        pthread_join(threads[t], NULL);
    MPI_Comm_free(&own);
    MPI_Comm_free(&node);
    return csp_test_done();
}
