// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// For the tests of Sessions: without MPI_Init there is no MPI_COMM_WORLD, so start, end and error
// count go through a communicator made from a process set.
#ifndef CSP_TEST_SESSIONS_H
#define CSP_TEST_SESSIONS_H

#include "csp_test_rma.h"

#if CSP_HAVE_MPI_Session_init

/** A communicator of the ranks of process set `pset`. */
static inline MPI_Comm session_comm(MPI_Session session, const char *pset, const char *tag)
{
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group_from_session_pset(session, pset, &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

static inline MPI_Session session_open(void)
{
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    CHECK(session != MPI_SESSION_NULL);
    return session;
}

/** Size and rank of `comm` are those of the application; sums and messages work. */
static inline void session_check_world(MPI_Comm comm)
{
    int size, rank, sum = -1, got = -1;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    if (csp_test_users())
        CHECK_INT(size, csp_test_users());
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK_INT(sum, size * (size - 1) / 2);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE,
                 MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    CHECK_INT(got, (rank + size - 1) % size);
}

/** Sums the errors over `comm`. @return the exit code. */
static inline int session_errors(MPI_Comm comm)
{
    int mine = atomic_load(&csp_test_errors), sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum ? 1 : 0;
}

#endif

#define SESSIONS_MISSING                                                                           \
    int main(void)                                                                                 \
    {                                                                                              \
        csp_test_init();                                                                           \
        csp_test_skip("this MPI library has no Sessions");                                         \
    }

#endif
