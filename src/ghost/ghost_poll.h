// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// All requests that a ghost's messages wait for, tested by one call in each turn: over a network that is polled by system calls
// each call of the MPI library's costs a microsecond, whatever it is asked.
#ifndef CSP_GHOST_GHOST_POLL_H
#define CSP_GHOST_GHOST_POLL_H

#include <mpi.h>
#include "runtime/mpi_table.h"

enum { CSP_GHOST_POLL_MAX = 96 };

struct csp_ghost_poll {
    int n;
    MPI_Request requests[CSP_GHOST_POLL_MAX];
    MPI_Request *of[CSP_GHOST_POLL_MAX]; // whose they are
};

/** One that is to be tested; MPI_REQUEST_NULL is done already. What does not fit is for another turn. */
static inline void csp_ghost_poll_add(struct csp_ghost_poll *p, MPI_Request *request)
{
    if (*request == MPI_REQUEST_NULL || p->n == CSP_GHOST_POLL_MAX)
        return;
    p->of[p->n] = request;
    p->requests[p->n++] = *request;
}

/** Tests them: those that are done are MPI_REQUEST_NULL then. @return MPI error code. */
static inline int csp_ghost_poll_test(struct csp_ghost_poll *p)
{
    int done[CSP_GHOST_POLL_MAX], ndone = 0;
    MPI_Status unused
        [CSP_GHOST_POLL_MAX]; // gcc takes MPICH 4.0's MPI_STATUSES_IGNORE for an array of none
    int rc = csp_mpi.Testsome(p->n, p->requests, &ndone, done, unused);
    for (int i = 0; i < ndone; i++) // none of them: MPI_UNDEFINED, which is negative
        *p->of[done[i]] = p->requests[done[i]];
    return rc;
}

#endif
