// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Users and ghosts that share one core: who waits for a message leaves the core to the ghosts, and sleeps until it is woken. A
// message takes some switches of processes then; if one spins where another should be it takes time slices of 4 ms.
#include "casper_only.h"

#include <sys/resource.h>

#include "one_core.h"

enum {
    ROUNDS = 200,
    ROUND_MOST_US = 2000,
    LATE_US = 200000,
    SLEEP_LEAST_US = 105 // naps by the clock are shorter; MPICH 4.0 has some of its own
};

static long sleeps(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_nvcsw;
}

// @return microseconds of a round trip; a quarter of them is faster, whoever else is on the machine.
static double round_trip(int peer)
{
    static double us[ROUNDS];
    int there = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const double start = MPI_Wtime();
        if (csp_test_rank == 0)
            MPI_Send(&i, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
        MPI_Recv(&there, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(there, i);
        if (csp_test_rank == 1)
            MPI_Send(&i, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
        us[i] = (MPI_Wtime() - start) * 1e6;
    }
    return quantile(us, ROUNDS, 0.25);
}

// @return how long the receiver slept at a time while it waited for a late message, by a probe or not, in microseconds, the mean.
static double late_message(int peer, int probes)
{
    int data = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (csp_test_rank == 0) {
        usleep(LATE_US);
        MPI_Send(&data, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
        return 0;
    }
    const long before = sleeps();
    const double start = MPI_Wtime();
    if (probes)
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&data, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return (MPI_Wtime() - start) * 1e6 / (double)(sleeps() - before + 1);
}

// Both sides of a message to itself are over together, although a ghost that says so of one may lose the core.
static void self_messages(void)
{
    MPI_Request r;
    int flag = 0, data = 0;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Issend(&i, 1, MPI_INT, csp_test_rank, 0, MPI_COMM_WORLD, &r);
        MPI_Recv(&data, 1, MPI_INT, csp_test_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
        CHECK(flag);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Irecv(&data, 1, MPI_INT, csp_test_rank, 0, MPI_COMM_WORLD, &r);
        MPI_Ssend(&i, 1, MPI_INT, csp_test_rank, 0, MPI_COMM_WORLD);
        MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
        CHECK(flag);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
}

int main(void)
{
    take_core(0);
    csp_test_init();
    casper_only();
    const int peer = 1 - csp_test_rank;
    const double us = round_trip(peer), slept_us = late_message(peer, 0),
                 probe_us = late_message(peer, 1);
    self_messages();
    if (csp_test_rank == 1)
        fprintf(stderr, "round trip %.1f us, slept for %.1f us at a time, in a probe for %.1f us\n",
                us, slept_us, probe_us);
    CHECK(us < ROUND_MOST_US);
    fflush(stdout);
    CHECK(csp_test_rank == 0 || slept_us > SLEEP_LEAST_US);
    CHECK(csp_test_rank == 0 || probe_us > SLEEP_LEAST_US);
    return csp_test_done();
}
