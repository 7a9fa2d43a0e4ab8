// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "p2p/p2p_req.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/handles.h"
#include "runtime/rt.h"

static struct csp_handles requests = CSP_HANDLES_INIT;
static struct csp_req *idle;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct csp_req *csp_req_find(MPI_Request request)
{
    return csp_handles_find(&requests, (uintptr_t)request);
}

static struct csp_req *make(void)
{
    struct csp_req *r = calloc(1, sizeof(*r));
    CSP_CHECK(r, "out of memory for a request");
    int rc = csp_mpi.Recv_init(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, csp_rt.self, &r->handle);
    CSP_CHECK(rc == MPI_SUCCESS, "the MPI library could not make a request");
    csp_handles_put(&requests, (uintptr_t)r->handle, r);
    return r;
}

struct csp_req *csp_req_take(const struct csp_post *post)
{
    pthread_mutex_lock(&lock);
    struct csp_req *r = idle;
    if (r)
        idle = r->next;
    pthread_mutex_unlock(&lock);
    if (!r)
        r = make();
    r->post = *post;
    r->cell = NULL;
    r->send = NULL;
    r->inner = MPI_REQUEST_NULL;
    r->persistent = r->by_library = r->held = 0;
    r->active = 1;
    csp_p2p_comm_hold(post->comm);
    return r;
}

static void give(struct csp_req *r)
{
    if (r->inner != MPI_REQUEST_NULL)
        csp_mpi.Request_free(&r->inner);
    csp_p2p_comm_drop(r->post.comm);
    if (r->held)
        csp_type_drop(&r->type);
    pthread_mutex_lock(&lock);
    r->next = idle;
    idle = r;
    pthread_mutex_unlock(&lock);
}

void csp_status_fill(MPI_Status *status, int source, int tag, uint64_t bytes, int cancelled)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
#if CSP_HAVE_MPI_Status_set_elements_c
    csp_mpi.Status_set_elements_c(status, MPI_BYTE, (MPI_Count)bytes);
#elif CSP_HAVE_MPI_Status_set_elements_x
    csp_mpi.Status_set_elements_x(status, MPI_BYTE, (MPI_Count)bytes);
#else
    csp_mpi.Status_set_elements(status, MPI_BYTE, (int)bytes);
#endif
    csp_mpi.Status_set_cancelled(status, cancelled);
}

void csp_req_status(struct csp_req *r, MPI_Status *status)
{
    const struct csp_cell *c = r->post.mode == CSP_P2P_RECV ? r->cell : NULL;
    if (c)
        csp_status_fill(status, c->source, c->got_tag, c->got_bytes, (int)c->cancelled);
    else
        csp_status_fill(status, r->post.peer == MPI_PROC_NULL ? MPI_PROC_NULL : MPI_ANY_SOURCE,
                        MPI_ANY_TAG, 0, 0);
}

void csp_req_hold(struct csp_req *r, const struct csp_type *t)
{
    if (r->held)
        return;
    csp_type_hold(t);
    r->type = *t;
    r->held = 1;
}

// Whether so many bytes end inside an element: sender and receiver mean different types.
static int cuts_element(const struct csp_type *t, uint64_t bytes)
{
    struct csp_type store;
    const struct csp_type *basic;
    return t->basic != MPI_DATATYPE_NULL &&
           csp_type_look(t->basic, &store, &basic) == MPI_SUCCESS &&
           bytes % (uint64_t)basic->size != 0;
}

// The data, if they are not in the program's buffer. @return MPI error class.
static int unpack(const struct csp_req *r, struct csp_cell *c)
{
    const char *data = c->copy_private ? (const char *)(uintptr_t)c->copy_private // NOLINT: its own
                                       : csp_cell_payload(c);
    struct csp_layout_cursor to;
    if (r->post.mode != CSP_P2P_RECV || !data || c->got_bytes == 0)
        return MPI_SUCCESS;
    if (!csp_req_has_gaps(r)) {
        memcpy(r->post.buf, data, c->got_bytes);
        return MPI_SUCCESS;
    }
    if (csp_layout_begin(&to, r->type.layout, 0, r->post.count) == CSP_OK)
        csp_layout_unpack(&to, r->post.buf, data, c->got_bytes);
    return cuts_element(&r->type, c->got_bytes) ? MPI_ERR_TYPE : MPI_SUCCESS;
}

// What the ghosts answered; the cell is gone then.
static int take_answer(struct csp_req *r)
{
    struct csp_cell *c = r->cell;
    if (!c)
        return MPI_SUCCESS;
    int error = unpack(r, c);
    error = c->error != MPI_SUCCESS ? (int)c->error : error;
    csp_cell_give(c);
    r->cell = NULL;
    return error;
}

int csp_req_finish(struct csp_req *r, MPI_Request *request, MPI_Status *status)
{
    csp_req_status(r, status);
    if (r->post.open && r->cell)
        csp_p2p_flow_met(&r->post, !r->cell->cancelled, r->cell->source, r->cell->got_tag);
    int error = take_answer(r);
    if (r->send) {
        int other = take_answer(r->send);
        give(r->send);
        r->send = NULL;
        error = error != MPI_SUCCESS ? error : other;
    }
    if (r->persistent) {
        r->active = 0;
        return error;
    }
    *request = MPI_REQUEST_NULL;
    give(r);
    return error;
}

void csp_req_drop(struct csp_req *r)
{
    if (r->cell)
        csp_cell_leave(r->cell);
    if (r->send)
        csp_req_drop(r->send);
    give(r);
}

void csp_req_stop(void)
{
    while (idle) {
        struct csp_req *r = idle;
        idle = r->next;
        csp_handles_drop(&requests, (uintptr_t)r->handle, r);
        csp_mpi.Request_free(&r->handle);
        free(r);
    }
}
