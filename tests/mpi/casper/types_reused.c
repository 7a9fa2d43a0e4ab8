// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Operations with derived datatypes that other operations had before look no attribute up (types_tool.c counts), and what is
// remembered of a type goes with it, also when another thread frees it: the library gives its handle to the next one.
#include <pthread.h>
#include "casper_only.h"

enum { TYPES = 24, TIMES = 20, SLOT = 64, INTS = 4 };

static int *base;
static MPI_Win win;
static MPI_Datatype type;

static int step(int k)
{
    return 1 + k % 8;
}

static void make(int k)
{
    MPI_Type_vector(INTS, 1, step(k), MPI_INT, &type);
    MPI_Type_commit(&type);
}

// Each user has a slot in the memory of both.
static int slot(void)
{
    return csp_test_rank * SLOT;
}

static void put(int k, int to)
{
    int value[INTS];
    for (int t = 0; t < TIMES; t++) {
        for (int i = 0; i < INTS; i++)
            value[i] = k * 1000 + t * 10 + i;
        MPI_Put(value, INTS, MPI_INT, to, slot(), 1, type, win);
        MPI_Win_flush(to, win);
    }
}

static void look(int k, int to)
{
    int got[SLOT];
    MPI_Get(got, SLOT, MPI_INT, to, slot(), SLOT, MPI_INT, win);
    MPI_Win_flush(to, win);
    for (int i = 0; i < INTS; i++)
        CHECK_INT(got[i * step(k)], k * 1000 + (TIMES - 1) * 10 + i);
}

// By load and store, and by the ghost of the other node.
static void use(int k)
{
    for (int to = 0; to < 2; to++) {
        put(k, to);
        look(k, to);
    }
}

static void alone(void)
{
    for (int k = 0; k < TYPES; k++) {
        make(k);
        const long before = casper_only_counted("types_tool_lookups");
        use(k);
        const long after = casper_only_counted("types_tool_lookups");
        CHECK(after - before <= 4); // the first use describes the type, the next one finds that
        MPI_Type_free(&type);
    }
}

static pthread_barrier_t turn;

static void *user(void *arg)
{
    for (int k = 0; k < TYPES; k++) {
        pthread_barrier_wait(&turn);
        use(k);
        pthread_barrier_wait(&turn);
    }
    return arg;
}

// This thread makes and frees, another one uses.
static void by_turns(void)
{
    pthread_t thread;
    pthread_barrier_init(&turn, NULL, 2);
    CHECK_INT(pthread_create(&thread, NULL, user, NULL), 0);
    for (int k = 0; k < TYPES; k++) {
        make(k);
        pthread_barrier_wait(&turn);
        pthread_barrier_wait(&turn);
        MPI_Type_free(&type);
    }
    CHECK_INT(pthread_join(thread, NULL), 0);
    pthread_barrier_destroy(&turn);
}

int main(void)
{
    int provided;
    csp_test_init_thread(MPI_THREAD_SERIALIZED, &provided);
    casper_only();
    if (csp_test_size != 2)
        csp_test_skip("needs two users");
    MPI_Win_allocate(2 * SLOT * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                     &win);
    MPI_Win_lock_all(0, win);
    PHASE("one thread");
    alone();
    MPI_Barrier(MPI_COMM_WORLD);
    PHASE("two threads by turns");
    by_turns();
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return csp_test_done();
}
