// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The processes of a communicator: who they are, on which nodes, who leads a node. User role, any thread.
#ifndef CSP_RUNTIME_MEMBERS_H
#define CSP_RUNTIME_MEMBERS_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdint.h>

// Processes of a communicator, as an attribute of it: computed once.
struct csp_members {
    _Atomic int refs;                // the communicator's attribute and every window made from it
    int n, rank;                     // size of the communicator, my rank in it
    int nnodes, my_node_idx, nlocal; // nodes that it touches; mine among them; members on my node
    const int32_t *wrank;            // [rank]
    int32_t *nodes;                  // [idx]: node number, in the order of their leaders
    int32_t *leaders;                // [idx]: rank of the node's leader
    int32_t *own_wrank;              // storage of wrank unless it is the topology's table
};

/** Whether this process is the leader of its node's members. */
static inline int csp_members_lead(const struct csp_members *m)
{
    return m->leaders[m->my_node_idx] == m->rank;
}

/** Members of a communicator, taken (csp_members_drop gives back); NULL: processes outside this
 * job. */
struct csp_members *csp_members_take(MPI_Comm comm);
void csp_members_drop(struct csp_members *m);

#endif
