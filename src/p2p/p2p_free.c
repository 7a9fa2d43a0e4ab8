// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Cancel, and the end of a request that is not its completion. MPI-4.1 3.7.3, 3.8.4.
#include "p2p/p2p_transfer.h"
#include "runtime/rt.h"
#include "runtime/wait.h"

// Asks the ghost something about a posted receive. @return whether that still waits for its message.
static int ask(enum csp_cell_kind kind, const struct csp_transfer *x)
{
    struct csp_wait w;
    struct csp_cell *c = csp_cell_take(0);
    c->kind = (uint16_t)kind;
    c->other_off = csp_cell_off(x->cell);
    c->addr = (uint64_t)(uintptr_t)x->post.buf;
    if (kind == CSP_CELL_UNATTENDED && csp_transfer_has_gaps(x) && !x->cell->layout_off) {
        c->count = x->post.count;
        csp_cell_layout(c, x->type.layout, csp_layout_bytes(x->type.layout));
    }
    csp_cell_post(c);
    csp_wait_begin(&w, "a ghost to look at a posted receive");
    csp_cell_wait(c, &w);
    int waits = (int)c->found;
    csp_cell_give(c);
    return waits;
}

// Nobody will come for the data of a receive: they have to go straight to its buffer, unless they are on their way
// already: ghosts alone move those. @return whether it still waits for its message; if not, it is done.
static int unattend(const struct csp_transfer *x)
{
    struct csp_wait w;
    if (ask(CSP_CELL_UNATTENDED, x))
        return 1;
    csp_wait_begin(&w, "a message of rank %ld that is on its way", (long)x->post.peer);
    csp_cell_wait(x->cell, &w);
    return 0;
}

int csp_transfer_cancel(struct csp_req *r)
{
    const struct csp_transfer *x = csp_transfer_of(r);
    if (x->post.mode == CSP_P2P_RECV && x->cell && !csp_transfer_done(x))
        ask(CSP_CELL_CANCEL, x); // a send is not cancelled: it completes
    return MPI_SUCCESS;
}

// Of a pair whose receive is over: the send depends on another user, for whom this call must not wait.
static void drop_send(struct csp_transfer *x)
{
    csp_transfer_drop(x->send);
    x->send = NULL;
}

int csp_transfer_free(struct csp_req *r, MPI_Request *request)
{
    struct csp_transfer *x = csp_transfer_of(r); // what the library has is let go as well
    int persistent = r->persistent;
    int waits = x->post.mode == CSP_P2P_RECV && x->cell && !csp_cell_done(x->cell) && unattend(x);
    int rc = MPI_SUCCESS, ends = !waits && x->cell && csp_cell_done(x->cell);
    if (ends && !csp_transfer_done(x))
        drop_send(x);
    if (ends)
        rc = csp_req_conclude(r, request, MPI_STATUS_IGNORE);
    if (!ends || persistent)
        csp_transfer_drop(x);
    *request = MPI_REQUEST_NULL;
    return rc;
}
