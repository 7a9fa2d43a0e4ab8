// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Communicators whose messages the ghosts carry: all of this job's processes alone, made by calls that wait for each
// other. User role, any thread.
#ifndef CSP_P2P_COMM_H
#define CSP_P2P_COMM_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>
#include "p2p/p2p_flow.h"
#include "req/req.h"
#include "runtime/members.h"

struct csp_p2p_comm {
    _Atomic int refs;    // the communicator and each request
    MPI_Comm handle;     // MPI_COMM_NULL once the program has freed it,
    int has_left;        // with requests under way: their errors go
    MPI_Errhandler left; // to its handler
    uint64_t context; // the same in all its processes, and no other communicator's of any of them
    struct csp_members *members;
    struct csp_p2p_sum sum;
    struct csp_p2p_flow *flow; // CSP_P2P=auto; NULL: ghosts carry all
    struct csp_p2p_flow own;   // unless the flow is several communicators'
};

/** The communicator, if its messages go by ghosts; NULL: they are the MPI library's. */
struct csp_p2p_comm *csp_p2p_comm_find(MPI_Comm comm);

static inline void csp_p2p_comm_hold(struct csp_p2p_comm *c)
{
    atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
}

void csp_p2p_comm_drop(struct csp_p2p_comm *c);

/** Where several threads may call MPI: none is freed meanwhile. Calls of the MPI library's must wait until it is unlocked. */
void csp_p2p_comms_lock(void);
void csp_p2p_comms_unlock(void);

/** Where its errors are raised; valid as long as a reference is held. */
struct csp_req_home csp_p2p_home(const struct csp_p2p_comm *c);

/** Raises an error on a communicator. @return the code. */
int csp_p2p_raise(MPI_Comm comm, int code);

#endif
