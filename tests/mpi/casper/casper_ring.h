// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Large messages around a ring, which may have to arrive while their receivers are outside MPI. Asleep, for cores
// are few where tests run.
#ifndef CSP_TEST_CASPER_RING_H
#define CSP_TEST_CASPER_RING_H

#include "casper_only.h"

enum { RING_BYTES = 4 << 20, RING_OUTSIDE_MS = 20000, RING_LOOK_MS = 5 };

/** Of a communicator in the order of the world. `outside`: it has to arrive without a call of its receiver. */
static inline void casper_ring(MPI_Comm comm, int outside)
{
    static char in[RING_BYTES], out[RING_BYTES];
    static int round;
    MPI_Request r[2];
    int rank;
    const int next = (csp_test_rank + 1) % csp_test_size;
    const int last = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    MPI_Comm_rank(comm, &rank);
    CHECK_INT(rank, csp_test_rank);
    round++;
    memset(out, round, RING_BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irecv(in, RING_BYTES, MPI_CHAR, last, 0, comm, &r[0]);
    MPI_Isend(out, RING_BYTES, MPI_CHAR, next, 0, comm, &r[1]);
    const volatile char *end = &in[RING_BYTES - 1];
    for (int ms = 0; outside && *end != round && ms < RING_OUTSIDE_MS; ms += RING_LOOK_MS)
        usleep(RING_LOOK_MS * 1000);
    if (outside)
        CHECK_INT(*end, round);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK_INT(in[0], round);
    CHECK_INT(*end, round);
}

#endif
