// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Who has completed its accumulates and then computes, outside MPI, holds up nobody's change of route, whatever completed
// them: flushes of one target after the other, by the targets themselves, or the last of a flood and a flush that finds
// nothing left to do. The route is another one after each interval; a process beside it must see both. With the argument "threads"
// by a program that may call MPI from several.
#include <pthread.h>
#include "casper_counter.h"

enum {
    AWAY = 0,
    BESIDE = 1,
    X = 2,
    Y = 3,
    THREAD_ROUNDS = 5,
    FLOOD = 32768 /* src/rma/rma_flush.c */
};

// More than the longest time between two tries of a change, 64 intervals.
static const double LIMIT_S = 10, AWAY_S = 10;

static const long one = 1;
static volatile int *seen_both; // in memory of the first node

static void add(MPI_Win win, int target)
{
    MPI_Accumulate(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, MPI_SUM, win);
}

// One target after the other, when both were reached without a ghost.
static void two_targets(MPI_Win win)
{
    unsigned long long before, after;
    double end = MPI_Wtime() + LIMIT_S;
    do {
        before = casper_by_target();
        add(win, X);
        add(win, Y);
        after = casper_by_target();
        MPI_Win_flush(X, win);
        MPI_Win_flush(Y, win);
    } while (after != before + 2 && MPI_Wtime() < end);
    CHECK_INT(after, before + 2);
}

// The library is made to complete all of a flood at its last operation.
static void flood(MPI_Win win)
{
    unsigned long long before;
    double end = MPI_Wtime() + LIMIT_S;
    do {
        MPI_Win_flush(X, win);
        before = casper_by_ghost();
        add(win, X);
    } while (casper_by_ghost() == before && MPI_Wtime() < end);
    for (int i = 1; i < FLOOD; i++)
        add(win, X);
    CHECK_INT(casper_by_ghost() - before, FLOOD);
    MPI_Win_flush(X, win);
}

// Outside MPI until the process beside it has seen enough.
static void compute(void)
{
    for (double end = MPI_Wtime() + AWAY_S; !*seen_both && MPI_Wtime() < end;)
        usleep(1000);
}

static void watch(MPI_Win win)
{
    unsigned long long ghost = casper_by_ghost(), target = casper_by_target();
    double end = MPI_Wtime() + AWAY_S;
    while ((casper_by_ghost() == ghost || casper_by_target() == target) && MPI_Wtime() < end) {
        add(win, X);
        MPI_Win_flush(X, win);
    }
    CHECK_MSG(casper_by_ghost() > ghost && casper_by_target() > target,
              "the route stayed: %llu by the ghost, %llu by the target", casper_by_ghost() - ghost,
              casper_by_target() - target);
    *seen_both = 1;
}

// Two threads, each with a target of its own; one stops before the other.
static MPI_Win of_both;

static void *add_and_flush(void *arg)
{
    int target = *(int *)arg;
    for (double end = MPI_Wtime() + (target == X ? 0.2 : 0.17); MPI_Wtime() < end;) {
        add(of_both, target);
        MPI_Win_flush(target, of_both);
    }
    return NULL;
}

static void two_threads(MPI_Win win)
{
    int targets[] = {X, Y};
    pthread_t other;
    of_both = win;
    pthread_create(&other, NULL, add_and_flush, &targets[1]);
    add_and_flush(&targets[0]);
    pthread_join(other, NULL);
}

static void run(const char *name, void (*accumulate)(MPI_Win win))
{
    MPI_Win win;
    PHASE(name);
    if (csp_test_rank == AWAY)
        *seen_both = 0;
    long *base = csp_test_win_new(sizeof(long), sizeof(long), MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(long), 0);
    MPI_Win_lock_all(0, win);
    if (csp_test_rank == AWAY) {
        accumulate(win);
        MPI_Send(&one, 1, MPI_LONG, BESIDE, 0, MPI_COMM_WORLD);
        compute();
    } else if (csp_test_rank == BESIDE) {
        long go;
        MPI_Recv(&go, 1, MPI_LONG, AWAY, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        watch(win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

// A word that the processes of each node share.
static MPI_Win share(void)
{
    MPI_Comm node;
    MPI_Win win;
    MPI_Aint bytes;
    int *word, unit;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, csp_test_rank, MPI_INFO_NULL, &node);
    MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL, node, &word, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &word);
    MPI_Comm_free(&node);
    seen_both = word;
    return win;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 && strcmp(argv[1], "threads") == 0, level;
    csp_test_init_thread(threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    if (threads && level != MPI_THREAD_MULTIPLE)
        csp_test_skip("the library has no MPI_THREAD_MULTIPLE");
    casper_only();
    casper_only_auto();
    csp_test_need(4);
    MPI_Win shared = share();
    run("two targets", two_targets);
    run("a flood", flood);
    for (int i = 0; threads && i < THREAD_ROUNDS; i++)
        run("two threads", two_threads);
    MPI_Win_free(&shared);
    return csp_test_done();
}
