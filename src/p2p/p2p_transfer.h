// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Sends and receives under a request (req/req.h): what the ghosts do, or, of a flow, another request of the
// library's (p2p_library.h). User role.
#ifndef CSP_P2P_TRANSFER_H
#define CSP_P2P_TRANSFER_H

#include "p2p/p2p.h"
#include "p2p/p2p_cells.h"
#include "p2p/p2p_comm.h"
#include "req/req.h"

struct csp_transfer {
    struct csp_req req;        // `inner` only of a flow
    struct csp_post post;      // what was asked for; `comm` is a counted reference
    struct csp_cell *cell;     // NULL: complete
    struct csp_transfer *send; // of a send and receive under one request: the send
    int delivered;             // the cell's data are in the program's buffer
    int held;
    struct csp_type type; // held, as the program may free it; only if it is persistent or unpacks
};

/** The one behind a request, which is a message's. */
static inline struct csp_transfer *csp_transfer_of(const struct csp_req *r)
{
    return (struct csp_transfer *)(uintptr_t)r;
}

/** A new one for this post, active, without a cell. */
struct csp_transfer *csp_transfer_take(const struct csp_post *post);

/** Keeps its datatype with it. */
void csp_transfer_hold(struct csp_transfer *x, const struct csp_type *t);

/** Whether its data have gaps, in a layout that it keeps. */
static inline int csp_transfer_has_gaps(const struct csp_transfer *x)
{
    return x->held && !x->type.contig;
}

/** The envelope that a receive or probe asks for. */
void csp_post_wanted(const struct csp_post *p, struct csp_cell *c);

/**
 * Its datatype (csp_type_look). @return MPI error code, unraised; MPI_ERR_BUFFER if its data would begin at address 0: no
 * buffer, as long as the datatype has no absolute addresses (MPI_BOTTOM); MPI_ERR_COUNT for more elements than 64 bits can number the bytes of.
 */
int csp_post_look(const struct csp_post *p, struct csp_type *store, const struct csp_type **t);

/** Posts it, data of type `t`; `message`: of a matched receive, or 0. */
void csp_transfer_post(struct csp_transfer *x, const struct csp_type *t, uint64_t message);

/** Whether it can be finished now. */
static inline int csp_transfer_done(const struct csp_transfer *x)
{
    return (!x->cell || csp_cell_done(x->cell)) &&
           (!x->send || !x->send->cell || csp_cell_done(x->send->cell));
}

/** Lets it go: its memory goes to the next when the ghosts are done with it. */
void csp_transfer_drop(struct csp_transfer *x);

// As csp_req_kind says.
int csp_transfer_finish(struct csp_req *r, MPI_Request *request, MPI_Status *status);
int csp_transfer_start(struct csp_req *r);
int csp_transfer_cancel(struct csp_req *r);
int csp_transfer_free(struct csp_req *r, MPI_Request *request);

#endif
