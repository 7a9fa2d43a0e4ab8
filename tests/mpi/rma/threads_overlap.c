// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Several threads of each rank create, use and free windows at the same time, each thread on a
// communicator of its own that overlaps those of the others: pairs round a ring, half of the world,
// all of it. Threads meet in any order, so nothing may wait for a communicator's turn.
#include <pthread.h>
#include "csp_test_rma.h"

enum { RIGHT, LEFT, HALF, WORLD, THREADS, ROUNDS = 6, SMALL = 256, LARGE = 2 << 20 };

static MPI_Comm comms[THREADS];

// What a rank of the world writes on the communicator of a thread. The two ends of a pair know it
// by different names.
static int value_of(int wrank, int thread, int round)
{
    return wrank * 1000 + (thread == LEFT ? RIGHT : thread) * 100 + round;
}

static int neighbour(MPI_Comm comm, int step)
{
    int rank, size, all[256];
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Allgather(&csp_test_rank, 1, MPI_INT, all, 1, MPI_INT, comm);
    return all[(rank + size + step) % size];
}

static void use(MPI_Win win, int *base, int thread, int round)
{
    MPI_Comm comm = comms[thread];
    int rank, size, old = -1, one = 1, value = value_of(csp_test_rank, thread, round);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Win_lock_all(0, win);
    base[0] = -1;
    base[1] = 0;
    MPI_Win_sync(win);
    MPI_Barrier(comm);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    for (int t = 0; t < size; t++)
        MPI_Accumulate(&one, 1, MPI_INT, t, 1, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush_all(win);
    MPI_Barrier(comm);
    MPI_Win_sync(win);
    CHECK_INT(base[0], value_of(neighbour(comm, -1), thread, round));
    CHECK_INT(base[1], size);
    MPI_Fetch_and_op(&one, &old, MPI_INT, rank, 1, MPI_NO_OP, win);
    MPI_Win_flush(rank, win);
    CHECK_INT(old, size);
    MPI_Win_unlock_all(win);
}

static void *work(void *arg)
{
    int thread = (int)(intptr_t)arg, *base[2];
    MPI_Comm comm = comms[thread];
    MPI_Win win[2];
    for (int r = 0; r < ROUNDS; r++) {
        for (int w = 0; w < 2; w++) // a second one while the first is there
            MPI_Win_allocate((r + w) % 3 == 2 ? LARGE : SMALL, sizeof(int), MPI_INFO_NULL, comm,
                             &base[w], &win[w]);
        use(win[1], base[1], thread, r);
        MPI_Win_free(&win[r % 2]);
        int left = 1 - r % 2;
        use(win[left], base[left], thread, r + 50);
        MPI_Win_free(&win[left]);
    }
    return NULL;
}

int main(void)
{
    int provided;
    pthread_t threads[THREADS];
    csp_test_init_thread(MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        csp_test_skip("no MPI_THREAD_MULTIPLE");
    csp_test_need(3);
    csp_test_need_windows();
    int n = csp_test_size, me = csp_test_rank;
    for (int i = 0; i < n; i++) {
        MPI_Comm pair;
        int member = me == i || me == (i + 1) % n;
        MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, me == i ? 0 : 1, &pair);
        if (member)
            comms[me == i ? RIGHT : LEFT] = pair;
    }
    MPI_Comm_split(MPI_COMM_WORLD, me < n / 2, -me, &comms[HALF]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[WORLD]);
    PHASE("threads");
    for (int t = 0; t < THREADS; t++) // each rank starts them in an order of its own
        pthread_create(&threads[t], NULL, work, (void *)(intptr_t)((t + me) % THREADS));
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++)
        MPI_Comm_free(&comms[t]);
    return csp_test_done();
}
