// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Cancel, and the end of a request that is not its completion. MPI-4.1 3.7.3, 3.8.4.
#include "p2p/p2p_library.h"
#include "runtime/rt.h"
#include "runtime/wait.h"

// Asks the ghost something about a posted receive. @return whether that still waits for its message.
static int ask(enum csp_cell_kind kind, const struct csp_req *r)
{
    struct csp_wait w;
    struct csp_cell *c = csp_cell_take(0);
    c->kind = (uint16_t)kind;
    c->other_off = csp_cell_off(r->cell);
    c->addr = (uint64_t)(uintptr_t)r->post.buf;
    if (kind == CSP_CELL_UNATTENDED && csp_req_has_gaps(r) && !r->cell->layout_off) {
        c->count = r->post.count;
        csp_cell_layout(c, r->type.layout, csp_layout_bytes(r->type.layout));
    }
    csp_cell_post(c);
    csp_wait_begin(&w, "a ghost to look at a posted receive");
    while (!csp_cell_done(c))
        csp_wait_turn(&w);
    int waits = (int)c->found;
    csp_cell_give(c);
    return waits;
}

// Nobody will come for the data of a receive: they have to go straight to its buffer, unless they are on their way
// already: ghosts alone move those. @return whether it still waits for its message; if not, it is done.
static int unattend(const struct csp_req *r)
{
    struct csp_wait w;
    if (ask(CSP_CELL_UNATTENDED, r))
        return 1;
    csp_wait_begin(&w, "a message of rank %ld that is on its way", (long)r->post.peer);
    while (!csp_req_done(r))
        csp_wait_turn(&w);
    return 0;
}

int csp_p2p_cancel(MPI_Request *request)
{
    struct csp_req *r = csp_req_find(*request);
    if (!r->active)
        return csp_p2p_raise(r->post.comm->handle, MPI_ERR_REQUEST);
    if (csp_library_has(r))
        return csp_mpi.Cancel(&r->inner);
    if (r->post.mode == CSP_P2P_RECV && r->cell && !csp_req_done(r))
        ask(CSP_CELL_CANCEL, r); // a send is not cancelled: it completes
    return MPI_SUCCESS;
}

int csp_p2p_free(MPI_Request *request)
{
    struct csp_req *r = csp_req_find(*request); // one that the library has, it lets go as well
    int waits = r->post.mode == CSP_P2P_RECV && r->cell && !csp_req_done(r) && unattend(r);
    *request = MPI_REQUEST_NULL;
    if (!waits && r->cell && csp_req_done(r)) {
        MPI_Request own = r->handle;
        MPI_Comm comm = r->post.comm->handle;
        int persistent = r->persistent;
        int rc = csp_req_finish(r, &own, MPI_STATUS_IGNORE);
        if (persistent)
            csp_req_drop(r);
        return csp_p2p_raise(comm, rc);
    }
    csp_req_drop(r);
    return MPI_SUCCESS;
}
