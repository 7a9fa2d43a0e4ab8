// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Sends and receives, from the program's arguments to a cell.
#include <stdlib.h>
#include <string.h>
#include "match/match.h"
#include "p2p/p2p_buffer.h"
#include "p2p/p2p_library.h"
#include "runtime/mem.h"
#include "runtime/rt.h"
#include "runtime/vm.h"

static int tag_ub(void)
{
    static _Atomic int known;
    if (!known) {
        int *ub = NULL, flag = 0;
        csp_mpi.Comm_get_attr(csp_rt.ctl, MPI_TAG_UB, (void *)&ub, &flag);
        known = flag ? *ub : 32767;
    }
    return known;
}

// Whether there can be so many elements: their bytes, and where they lie, are numbers of 64 bits.
static int too_many(const struct csp_post *p, const struct csp_type *t)
{
    int64_t lo, hi;
    return p->count > 1 && csp_layout_range(t->layout, 0, p->count, &lo, &hi) != CSP_OK;
}

static int lacks_room(const struct csp_post *p, const struct csp_type *t)
{
    return p->mode == CSP_P2P_BUFFERED && !csp_buffer_fits(p->count * t->size);
}

int csp_post_look(const struct csp_post *p, struct csp_type *store, const struct csp_type **t)
{
    int rc = csp_type_look(p->type, store, t);
    if (rc != MPI_SUCCESS || p->peer == MPI_PROC_NULL)
        return rc;
    if (too_many(p, *t))
        return MPI_ERR_COUNT;
    int lacks = !p->buf && p->count > 0 && (*t)->size > 0 && (*t)->true_lb == 0;
    lacks |= p->call != CSP_P2P_PERSISTS && lacks_room(p, *t); // else when it is started
    return lacks ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

static int valid(const struct csp_post *p)
{
    int recv = p->mode == CSP_P2P_RECV;
    int peer =
        (p->peer >= 0 && p->peer < p->comm->members->n) || (recv && p->peer == MPI_ANY_SOURCE);
    int tag = (p->tag >= 0 && p->tag <= tag_ub()) || (recv && p->tag == MPI_ANY_TAG);
    return peer && tag && p->count >= 0 && p->type != MPI_DATATYPE_NULL;
}

// Whether ghosts carry it, or, of a flow, the MPI library does, but Casper has to know what it met. `other`: a send.
static int takes(struct csp_post *p, struct csp_post *other)
{
    return csp_p2p_flow_enter(p, other) || p->open;
}

int csp_p2p_takes(MPI_Comm comm, struct csp_post *p)
{
    p->comm = csp_p2p_comm_find(comm);
    if (!p->comm)
        return 0;
    if (!valid(p)) {
        p->comm = NULL; // not noted
        return 0;
    }
    return p->call == CSP_P2P_PERSISTS || takes(p, NULL);
}

int csp_p2p_takes_both(MPI_Comm comm, struct csp_post *send, struct csp_post *recv)
{
    send->comm = recv->comm = csp_p2p_comm_find(comm);
    if (!send->comm)
        return 0;
    int sends = valid(send), receives = valid(recv);
    if (!(sends && receives) && !(sends && recv->peer == MPI_PROC_NULL) &&
        !(receives && send->peer == MPI_PROC_NULL)) {
        recv->comm = NULL; // not noted
        return 0;
    }
    struct csp_post *first = receives ? recv : send;
    int by_casper = takes(first, sends && receives ? send : NULL);
    send->way = recv->way = first->way;
    return by_casper;
}

static int32_t any(int value, int wildcard)
{
    return value == wildcard ? CSP_MATCH_ANY : value;
}

void csp_post_wanted(const struct csp_post *p, struct csp_cell *c)
{
    c->context = p->comm->context;
    c->rank = any(p->peer, MPI_ANY_SOURCE);
    c->tag = any(p->tag, MPI_ANY_TAG);
}

static int fine(const struct csp_type *t)
{
    return !t->contig && csp_vm_is_fine(t->layout);
}

// The program may have the buffer back at once.
static int is_copied(const struct csp_post *p)
{
    return p->mode == CSP_P2P_BUFFERED || p->mode == CSP_P2P_COPIED;
}

// Fine data that a ghost reads with what lies between them, and packs, are not packed when they are posted.
static int packs(const struct csp_post *p, const struct csp_type *t)
{
    return is_copied(p) ||
           (fine(t) && (!csp_vm_is_dense(t->layout) || t->layout->bytes > CSP_CELL_LARGE));
}

// Memory for the packed data of a cell that has no room for them.
static char *make_copy(struct csp_cell *c)
{
    char *copy = malloc(c->bytes);
    CSP_CHECK(copy, "out of memory for a message of %llu bytes", (unsigned long long)c->bytes);
    c->addr = c->copy_private = (uint64_t)(uintptr_t)copy;
    return copy;
}

static void pack(const struct csp_post *p, const struct csp_type *t, char *to, uint64_t bytes)
{
    struct csp_layout_cursor from;
    if (bytes == 0)
        return;
    if (t->contig) {
        memcpy(to, p->buf, bytes);
        return;
    }
    CSP_CHECK(csp_layout_begin(&from, t->layout, 0, p->count) == CSP_OK,
              "%lld elements, which csp_post_look let pass", (long long)p->count);
    csp_layout_pack(&from, p->buf, to, bytes);
}

static void describe_send(const struct csp_post *p, const struct csp_type *t, struct csp_cell *c)
{
    if (c->bytes <= c->room) {
        c->flags |= CSP_CELL_PAYLOAD;
        pack(p, t, c->payload, c->bytes);
    } else if (packs(p, t)) {
        pack(p, t, make_copy(c), c->bytes);
    } else if (t->contig) {
        c->mapped_off = csp_mem_mapped(p->buf);
    } else {
        c->count = p->count;
        csp_cell_layout(c, t->layout, csp_layout_bytes(t->layout));
    }
}

static void describe_recv(const struct csp_post *p, const struct csp_type *t, struct csp_cell *c)
{
    if (t->contig) {
        c->mapped_off = csp_mem_mapped(p->buf);
        c->answer_room = c->mapped_off ? 0 : c->room;
    } else if (c->bytes <= c->room) {
        c->answer_room = c->room;
    } else if (fine(t)) {
        make_copy(c);
    } else {
        c->count = p->count;
        csp_cell_layout(c, t->layout, csp_layout_bytes(t->layout));
    }
}

// Ghosts can write to a buffer without gaps themselves.
static struct csp_cell *take_cell(const struct csp_post *p, const struct csp_type *t,
                                  uint64_t bytes)
{
    return p->mode == CSP_P2P_RECV && t->contig ? csp_cell_take_any(bytes) : csp_cell_take(bytes);
}

static struct csp_cell *describe(const struct csp_post *p, const struct csp_type *t)
{
    int recv = p->mode == CSP_P2P_RECV;
    uint64_t bytes = (uint64_t)p->count * (uint64_t)t->size;
    struct csp_cell *c = take_cell(p, t, bytes);
    c->bytes = bytes;
    c->addr = (uint64_t)(uintptr_t)p->buf;
    c->kind = recv ? CSP_CELL_RECV : CSP_CELL_SEND;
    csp_post_wanted(p, c);
    if (recv) {
        describe_recv(p, t, c);
    } else {
        c->rank = p->comm->members->rank;
        c->wrank = p->comm->members->wrank[p->peer];
        describe_send(p, t, c);
    }
    return c;
}

void csp_transfer_post(struct csp_transfer *x, const struct csp_type *t, uint64_t message)
{
    const struct csp_post *p = &x->post;
    struct csp_cell *c = describe(p, t);
    int recv = p->mode == CSP_P2P_RECV;
    int over = (!recv && p->mode != CSP_P2P_SYNC && c->flags & CSP_CELL_PAYLOAD) || is_copied(p);
    if (recv && !t->contig && !c->layout_off)
        csp_transfer_hold(x, t); // unpacks when it completes
    if (message) {
        c->kind = CSP_CELL_MRECV;
        c->message = message;
    }
    if (p->mode == CSP_P2P_SYNC)
        c->flags |= CSP_CELL_SYNC;
    if (p->call == CSP_P2P_BLOCKS && !over)
        csp_cell_await(c);
    x->cell = over ? NULL : c;
    csp_cell_post(c);
    if (over)
        csp_cell_leave(c);
}

// A datatype, looked at before anything is done.
struct typed {
    struct csp_type store;
    const struct csp_type *t;
};

static int look(const struct csp_post *p, struct typed *type)
{
    return csp_p2p_raise(p->comm->handle, csp_post_look(p, &type->store, &type->t));
}

// Before a post that was noted.
static int look_noted(const struct csp_post *p, struct typed *type)
{
    int rc = look(p, type);
    if (rc != MPI_SUCCESS)
        csp_p2p_flow_take_back(p);
    return rc;
}

static struct csp_transfer *begin(const struct csp_post *p, const struct typed *type)
{
    struct csp_transfer *x = csp_transfer_take(p);
    csp_transfer_post(x, type->t, 0);
    return x;
}

static int start(const struct csp_post *p, struct csp_transfer **x)
{
    struct typed type;
    int rc = look_noted(p, &type);
    if (rc == MPI_SUCCESS)
        *x = begin(p, &type);
    return rc;
}

// A part of a send and receive.
static void start_part(struct csp_transfer *x, const struct typed *type)
{
    if (x->post.peer != MPI_PROC_NULL)
        csp_transfer_post(x, type->t, 0);
}

// The receive first, so that a message to oneself needs no place to wait; but not where it takes the place of
// what is sent.
static int start_both(const struct csp_post *send, const struct csp_post *recv,
                      struct csp_transfer **out)
{
    struct typed type, other;
    int rc = look(send, &type);
    if (rc == MPI_SUCCESS)
        rc = look(recv, &other);
    if (rc != MPI_SUCCESS) {
        csp_p2p_flow_take_back(send);
        csp_p2p_flow_take_back(recv);
        return rc;
    }
    struct csp_transfer *x = csp_transfer_take(recv);
    x->send = csp_transfer_take(send);
    if (send->mode == CSP_P2P_COPIED)
        start_part(x->send, &type);
    start_part(x, &other);
    if (send->mode != CSP_P2P_COPIED)
        start_part(x->send, &type);
    *out = x;
    return MPI_SUCCESS;
}

static int hand_out(int rc, const struct csp_transfer *x, MPI_Request *request)
{
    if (rc == MPI_SUCCESS)
        *request = x->req.handle;
    return rc;
}

int csp_p2p_post(const struct csp_post *p, MPI_Request *request)
{
    struct csp_transfer *x = NULL;
    if (csp_p2p_by_library(p))
        return csp_library_post(p, request);
    int rc = start(p, &x);
    return hand_out(rc, x, request);
}

int csp_p2p_post_both(const struct csp_post *send, const struct csp_post *recv,
                      MPI_Request *request)
{
    struct csp_transfer *x = NULL;
#if CSP_HAVE_MPI_Isendrecv
    if (csp_p2p_by_library(recv))
        return csp_library_post_both(send, recv, request);
#endif
    int rc = start_both(send, recv, &x);
    return hand_out(rc, x, request);
}

static int complete(int rc, struct csp_transfer *x, MPI_Status *status)
{
    if (rc != MPI_SUCCESS)
        return rc;
    MPI_Request own = x->req.handle;
    return csp_req_wait(&own, status);
}

// A send that is over, for its process, when it is posted: nobody needs a request.
static int is_over_at_once(const struct csp_post *p, const struct csp_type *t)
{
    uint64_t bytes = (uint64_t)p->count * (uint64_t)t->size;
    return p->mode == CSP_P2P_BUFFERED || (p->mode == CSP_P2P_STANDARD && bytes <= CSP_CELL_LARGE);
}

int csp_p2p_send(const struct csp_post *p)
{
    struct typed type;
    int rc = look_noted(p, &type);
    if (rc != MPI_SUCCESS)
        return rc;
    if (!is_over_at_once(p, type.t))
        return complete(MPI_SUCCESS, begin(p, &type), MPI_STATUS_IGNORE);
    struct csp_cell *c = describe(p, type.t);
    csp_cell_post(c);
    csp_cell_leave(c);
    return MPI_SUCCESS;
}

int csp_p2p_recv(struct csp_post *p, MPI_Status *status)
{
    struct csp_transfer *x = NULL;
    if (csp_p2p_by_library(p))
        return csp_library_recv(p, status);
    int rc = start(p, &x);
    return complete(rc, x, status);
}

int csp_p2p_sendrecv(const struct csp_post *send, struct csp_post *recv, MPI_Status *status)
{
    struct csp_transfer *x = NULL;
    if (csp_p2p_by_library(recv))
        return csp_library_sendrecv(send, recv, status);
    int rc = start_both(send, recv, &x);
    return complete(rc, x, status);
}

int csp_p2p_init(const struct csp_post *p, MPI_Request *request)
{
    struct typed type;
    int rc = look(p, &type);
    if (rc != MPI_SUCCESS)
        return rc;
    struct csp_transfer *x = csp_transfer_take(p);
    csp_transfer_hold(x, type.t);
    x->req.persistent = 1;
    x->req.active = 0;
    if (p->comm->flow)
        rc = csp_library_init(x);
    if (rc != MPI_SUCCESS)
        csp_transfer_drop(x);
    return hand_out(rc, x, request);
}

int csp_transfer_start(struct csp_req *r)
{
    struct csp_transfer *x = csp_transfer_of(r);
    r->active = 1;
    r->by_library = !csp_p2p_flow_started(&x->post); // by the way it goes now
    if (r->by_library)
        return csp_p2p_did(&x->post, csp_mpi.Start(&r->inner));
    if (lacks_room(&x->post, &x->type)) {
        struct csp_req_home home = csp_p2p_home(x->post.comm);
        csp_p2p_flow_take_back(&x->post);
        r->active = 0;
        return csp_req_raise(&home, MPI_ERR_BUFFER);
    }
    csp_transfer_post(x, &x->type, 0);
    return MPI_SUCCESS;
}
