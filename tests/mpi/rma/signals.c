// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A process that gets a signal every millisecond, with a handler and without SA_RESTART, has right
// results of operations of all sizes: no system call on the way may give up.
#include <sys/time.h>

#include "csp_test_rma.h"

enum { INTS = 100000, ROUNDS = 20, SIGNALS = 5 }; // the least; a fast library takes little time

static volatile sig_atomic_t caught;
static int from[INTS], to[INTS];

static void on_signal(int signum)
{
    (void)signum;
    caught++;
}

// SIGALRM is the time limit's.
static void signals(int microseconds)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &timer, NULL);
}

static void round_trip(MPI_Win win, int target, int round)
{
    for (int i = 0; i < INTS; i++)
        from[i] = csp_test_rank + i + round;
    csp_test_poison(to, sizeof to);
    MPI_Put(from, INTS, MPI_INT, target, 0, INTS, MPI_INT, win);
    MPI_Win_flush(target, win);
    MPI_Accumulate(from, INTS, MPI_INT, target, 0, INTS, MPI_INT, MPI_SUM, win);
    MPI_Get_accumulate(from, INTS, MPI_INT, to, INTS, MPI_INT, target, 0, INTS, MPI_INT, MPI_SUM,
                       win);
    MPI_Win_flush(target, win);
    for (int i = 0; i < INTS; i++)
        if (to[i] != 2 * from[i])
            FAIL("round %d: [%d] fetched %d, not %d", round, i, to[i], 2 * from[i]);
    MPI_Get(to, INTS, MPI_INT, target, 0, INTS, MPI_INT, win);
    MPI_Win_flush(target, win);
    for (int i = 0; i < INTS; i++)
        if (to[i] != 3 * from[i])
            FAIL("round %d: [%d] is %d, not %d", round, i, to[i], 3 * from[i]);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    csp_test_win_new(sizeof from, sizeof(int), MPI_COMM_WORLD, &win);
    signals(1000);
    MPI_Win_lock_all(0, win);
    for (int r = 0, least = 0; r < ROUNDS || least < SIGNALS; r++) {
        round_trip(win, (csp_test_rank + csp_test_size / 2) % csp_test_size, 2 * r);
        MPI_Barrier(MPI_COMM_WORLD);
        round_trip(win, (csp_test_rank + 1) % csp_test_size, 2 * r + 1);
        least = caught;
        MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(win);
    signals(0);
    MPI_Win_free(&win);
    return csp_test_done();
}
