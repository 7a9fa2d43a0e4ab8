// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "p2p/p2p_transfer.h"

#include <string.h>
#include "p2p/p2p_library.h"
#include "runtime/threads.h"
#include "runtime/wait.h"

static int is_done(struct csp_req *r)
{
    return csp_transfer_done(csp_transfer_of(r));
}

static void each_cell(struct csp_req *r, void (*f)(struct csp_cell *c))
{
    const struct csp_transfer *x = csp_transfer_of(r);
    if (x->cell)
        f(x->cell);
    if (x->send && x->send->cell)
        f(x->send->cell);
}

static void await(struct csp_req *r)
{
    each_cell(r, csp_cell_attend);
}

static void leave(struct csp_req *r)
{
    each_cell(r, csp_cell_unawait);
}

static void answer(const struct csp_transfer *x, MPI_Status *status)
{
    const struct csp_cell *c = x->post.mode == CSP_P2P_RECV ? x->cell : NULL;
    if (c)
        csp_status_fill(status, c->source, c->got_tag, c->got_bytes, (int)c->cancelled);
    else
        csp_status_fill(status, x->post.peer == MPI_PROC_NULL ? MPI_PROC_NULL : MPI_ANY_SOURCE,
                        MPI_ANY_TAG, 0, 0);
}

static struct csp_req_home home(const struct csp_req *r)
{
    return csp_p2p_home(csp_transfer_of(r)->post.comm);
}

static void say(const struct csp_req *r, struct csp_wait *w)
{
    const struct csp_post *p = &csp_transfer_of(r)->post;
    csp_wait_begin(w,
                   p->mode == CSP_P2P_RECV ? "message from rank %ld with tag %ld"
                                           : "message to rank %ld with tag %ld to leave",
                   (long)p->peer, (long)p->tag);
}

static void give(struct csp_transfer *x)
{
    csp_p2p_comm_drop(x->post.comm);
    if (x->held)
        csp_type_drop(&x->type);
    csp_req_give(&x->req);
}

void csp_transfer_hold(struct csp_transfer *x, const struct csp_type *t)
{
    if (x->held)
        return;
    csp_type_hold(t);
    x->type = *t;
    x->held = 1;
}

// Whether so many bytes end inside an element: sender and receiver mean different types. A pair is two elements, of which a
// message may well have one.
static int cuts_element(const struct csp_type *t, uint64_t bytes)
{
    struct csp_type store;
    const struct csp_type *basic;
    return t->basic != MPI_DATATYPE_NULL &&
           csp_type_look(t->basic, &store, &basic) == MPI_SUCCESS &&
           bytes % (uint64_t)basic->size != 0 && !csp_type_is_pair(t->basic);
}

// The data, if they are not in the program's buffer. @return MPI error class.
static int unpack(const struct csp_transfer *x, struct csp_cell *c)
{
    const char *data = c->copy_private ? (const char *)(uintptr_t)c->copy_private // NOLINT: its own
                                       : csp_cell_payload(c);
    struct csp_layout_cursor to;
    if (x->post.mode != CSP_P2P_RECV || !data || c->got_bytes == 0)
        return MPI_SUCCESS;
    if (!csp_transfer_has_gaps(x)) {
        memcpy(x->post.buf, data, c->got_bytes);
        return MPI_SUCCESS;
    }
    CSP_CHECK(csp_layout_begin(&to, x->type.layout, 0, x->post.count) == CSP_OK,
              "%lld elements, which csp_post_look let pass", (long long)x->post.count);
    csp_layout_unpack(&to, x->post.buf, data, c->got_bytes);
    return cuts_element(&x->type, c->got_bytes) ? MPI_ERR_TYPE : MPI_SUCCESS;
}

// Once: from then on the buffer is the program's. Several threads may ask for the status.
static void deliver(struct csp_transfer *x)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    csp_threads_lock(&lock);
    if (!x->delivered) {
        int error = unpack(x, x->cell);
        if (x->cell->error == MPI_SUCCESS)
            x->cell->error = error;
        x->delivered = 1;
    }
    csp_threads_unlock(&lock);
}

// What the ghosts answered; the cell is gone then.
static int take_answer(struct csp_transfer *x)
{
    if (!x->cell)
        return MPI_SUCCESS;
    deliver(x);
    int error = (int)x->cell->error;
    csp_cell_give(x->cell);
    x->cell = NULL;
    x->delivered = 0;
    return error;
}

// The program may use the buffer when it has seen the status (MPI-4.1 3.7.6): the data are there by then.
static void show(struct csp_req *r, MPI_Status *status)
{
    struct csp_transfer *x = csp_transfer_of(r);
    answer(x, status);
    if (x->cell)
        deliver(x);
}

static struct csp_req_kind kind = {
    .bytes = sizeof(struct csp_transfer),
    .done = is_done,
    .status = show,
    .finish = csp_transfer_finish,
    .home = home,
    .say = say,
    .await = await,
    .leave = leave,
    .over = csp_library_over,
    .start = csp_transfer_start,
    .cancel = csp_transfer_cancel,
    .free = csp_transfer_free,
};

struct csp_transfer *csp_transfer_take(const struct csp_post *post)
{
    struct csp_transfer *x = csp_transfer_of(csp_req_take(&kind));
    x->post = *post;
    x->cell = NULL;
    x->send = NULL;
    x->delivered = 0;
    x->held = 0;
    csp_p2p_comm_hold(post->comm);
    return x;
}

// The error is raised when the request is gone, and may have been the last that held a communicator which was freed: that
// one stays for good.
static void keep_home(const struct csp_transfer *x, int error)
{
    if (error != MPI_SUCCESS && x->post.comm->has_left)
        csp_p2p_comm_hold(x->post.comm);
}

int csp_transfer_finish(struct csp_req *r, MPI_Request *request, MPI_Status *status)
{
    struct csp_transfer *x = csp_transfer_of(r);
    answer(x, status);
    if (x->post.open && x->cell)
        csp_p2p_flow_met(&x->post, !x->cell->cancelled, x->cell->source, x->cell->got_tag);
    int error = take_answer(x);
    if (x->send) {
        int other = take_answer(x->send);
        give(x->send);
        x->send = NULL;
        error = error != MPI_SUCCESS ? error : other;
    }
    keep_home(x, error);
    if (r->persistent) {
        r->active = 0;
        return error;
    }
    *request = MPI_REQUEST_NULL;
    give(x);
    return error;
}

void csp_transfer_drop(struct csp_transfer *x)
{
    if (x->cell)
        csp_cell_leave(x->cell);
    if (x->send)
        csp_transfer_drop(x->send);
    give(x);
}
