// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Calls of a flow (p2p_flow.h) that the MPI library does, while Casper has to know what they meet (wildcards), or which way their
// next message goes (persistent requests). User role, any thread.
#ifndef CSP_P2P_LIBRARY_H
#define CSP_P2P_LIBRARY_H

#include "p2p/p2p_transfer.h"

/** Whether the MPI library does this call. */
static inline int csp_p2p_by_library(const struct csp_post *p)
{
    return p->way == CSP_P2P_LIBRARY;
}

int csp_library_recv(struct csp_post *post, MPI_Status *status);
int csp_library_sendrecv(const struct csp_post *send, struct csp_post *recv, MPI_Status *status);
int csp_library_probe(struct csp_post *post, MPI_Status *status);
int csp_library_improbe(struct csp_post *post, int *flag, MPI_Message *message, MPI_Status *status);
int csp_library_mprobe(struct csp_post *post, MPI_Message *message, MPI_Status *status);

/** With a request, Casper's. */
int csp_library_post(const struct csp_post *post, MPI_Request *request);
int csp_library_post_both(const struct csp_post *send, const struct csp_post *recv,
                          MPI_Request *request);

/** The library's persistent request behind `x`, of a flow. */
int csp_library_init(struct csp_transfer *x);

/** The library's request is over, with this status. */
void csp_library_over(struct csp_req *r, MPI_Request *request, const MPI_Status *status);

#endif
