// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Two cores, two users of which one sleeps in a wait, and a ghost that does not run, as if the other user had its core: that one
// does not spin for long, although there are as many cores as processes that are awake.
#include "casper_ghosts.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "one_core.h"

enum { ROUNDS = 100, STOPPED_US = 600, CORES = 2, TAG = 0 };
static const double CPU_MOST_S = 150e-6; // of a wait: naps are 0.2 ms long

static long ghosts[CASPER_GHOSTS_MOST];

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *let_go(void *unused)
{
    (void)unused;
    usleep(STOPPED_US);
    kill((pid_t)ghosts[0], SIGCONT);
    return NULL;
}

// @return seconds of CPU time of the wait for a message that the stopped ghost has to take.
static double wait_for_ghost(int data)
{
    pthread_t other;
    MPI_Request r;
    double used_s;
    kill((pid_t)ghosts[0], SIGSTOP);
    pthread_create(&other, NULL, let_go, NULL);
    MPI_Issend(&data, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &r);
    used_s = cpu_s();
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    used_s = cpu_s() - used_s;
    pthread_join(other, NULL);
    return used_s;
}

int main(void)
{
    const int enough = take_cores(0, CORES);
    csp_test_init();
    casper_only();
    if (!enough)
        csp_test_skip("needs two cores");
    CHECK_INT(casper_ghosts_find(ghosts), 1);
    double used_s[ROUNDS] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        int got = -1;
        if (csp_test_rank == 0) {
            usleep(STOPPED_US); // rank 1 waits by then
            used_s[i] = wait_for_ghost(i);
        } else {
            MPI_Recv(&got, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK_INT(got, i);
        }
    }
    double median_s = quantile(used_s, ROUNDS, 0.5); // of some the kernel has work of its own to do
    fprintf(stderr, "rank %d used %.1f us of a wait\n", csp_test_rank, median_s * 1e6);
    CHECK(median_s < CPU_MOST_S);
    return csp_test_done();
}
