// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Requests: the program holds a carrier, a request of the MPI library's that is never started; behind it is
// what the ghosts do, or, of a flow, another request of the library's (p2p_library.h). User role; a request belongs to the
// thread that completes it.
#ifndef CSP_P2P_REQ_H
#define CSP_P2P_REQ_H

#include "p2p/p2p.h"
#include "p2p/p2p_cells.h"
#include "p2p/p2p_comm.h"

struct csp_req {
    MPI_Request handle; // the carrier
    struct csp_req *next;
    struct csp_post post;  // what was asked for; `comm` is a counted reference
    struct csp_cell *cell; // NULL: complete
    struct csp_req *send;  // of a send and receive under one request: the send
    MPI_Request inner;     // of a flow: the library's, which carries it if `by_library`
    int persistent, active;
    int by_library;
    int held;
    struct csp_type type; // held, as the program may free it; only if it is persistent or unpacks
};

/** The request, if it is Casper's. */
struct csp_req *csp_req_find(MPI_Request request);

/** A new one for this post, active, without a cell. */
struct csp_req *csp_req_take(const struct csp_post *post);

/** Keeps its datatype with it. */
void csp_req_hold(struct csp_req *r, const struct csp_type *t);

/** Whether its data have gaps, in a layout that it keeps. */
static inline int csp_req_has_gaps(const struct csp_req *r)
{
    return r->held && !r->type.contig;
}

/** The envelope that a receive or probe asks for. */
void csp_post_wanted(const struct csp_post *p, struct csp_cell *c);

/** Posts it, data of type `t`; `message`: of a matched receive, or 0. */
void csp_req_post(struct csp_req *r, const struct csp_type *t, uint64_t message);

/** Whether it can be finished now. */
static inline int csp_req_done(const struct csp_req *r)
{
    return (!r->cell || csp_cell_done(r->cell)) &&
           (!r->send || !r->send->cell || csp_cell_done(r->send->cell));
}

/** What it will answer, without finishing it. */
void csp_req_status(struct csp_req *r, MPI_Status *status);

/** Finishes a request that is done: data, status, the program's handle. @return MPI error class, not raised. */
int csp_req_finish(struct csp_req *r, MPI_Request *request, MPI_Status *status);

/** Lets it go: its memory goes to the next request when the ghosts are done with it. */
void csp_req_drop(struct csp_req *r);

/** Fills a status (or ignores it). */
void csp_status_fill(MPI_Status *status, int source, int tag, uint64_t bytes, int cancelled);

void csp_req_stop(void);

#endif
