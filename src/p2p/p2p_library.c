// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "p2p/p2p_library.h"

#include "runtime/detours.h"
#include "runtime/rt.h"

// Counts as large as the library takes them.
#if CSP_HAVE_MPI_Recv_c
#define LARGE(function) csp_mpi.function##_c
#define COUNT(p) ((p)->count)
#else
#define LARGE(function) csp_mpi.function
#define COUNT(p) ((int)(p)->count)
#endif

int csp_library_recv(struct csp_post *p, MPI_Status *status)
{
    MPI_Status own, *s = csp_status_readable(status, &own);
    int rc = LARGE(Recv)(p->buf, COUNT(p), p->type, p->peer, p->tag, p->comm->handle, s);
    if (rc == MPI_SUCCESS) // else it stays open: it may have taken a message
        csp_p2p_flow_met(p, 1, s->MPI_SOURCE, s->MPI_TAG);
    return rc;
}

// A receive into what is sent.
static int replaces(const struct csp_post *send)
{
    return send->mode == CSP_P2P_COPIED;
}

int csp_library_sendrecv(const struct csp_post *send, struct csp_post *recv, MPI_Status *status)
{
    MPI_Status own, *s = csp_status_readable(status, &own);
    MPI_Comm comm = send->comm->handle;
    int rc =
        replaces(send)
            ? LARGE(Sendrecv_replace)(recv->buf, COUNT(recv), recv->type, send->peer, send->tag,
                                      recv->peer, recv->tag, comm, s)
            : LARGE(Sendrecv)(send->buf, COUNT(send), send->type, send->peer, send->tag, recv->buf,
                              COUNT(recv), recv->type, recv->peer, recv->tag, comm, s);
    if (rc == MPI_SUCCESS)
        csp_p2p_flow_met(recv, 1, s->MPI_SOURCE, s->MPI_TAG);
    return rc;
}

int csp_library_probe(struct csp_post *p, MPI_Status *status)
{
    int rc = csp_mpi.Probe(p->peer, p->tag, p->comm->handle, status);
    csp_p2p_flow_met(p, 0, 0, 0);
    return rc;
}

int csp_library_improbe(struct csp_post *p, int *flag, MPI_Message *message, MPI_Status *status)
{
    MPI_Status own, *s = csp_status_readable(status, &own);
    int rc = csp_mpi.Improbe(p->peer, p->tag, p->comm->handle, flag, message, s);
    csp_p2p_flow_met(p, rc == MPI_SUCCESS && *flag, s->MPI_SOURCE, s->MPI_TAG);
    return rc;
}

int csp_library_mprobe(struct csp_post *p, MPI_Message *message, MPI_Status *status)
{
    MPI_Status own, *s = csp_status_readable(status, &own);
    int rc = csp_mpi.Mprobe(p->peer, p->tag, p->comm->handle, message, s);
    csp_p2p_flow_met(p, rc == MPI_SUCCESS, s->MPI_SOURCE, s->MPI_TAG);
    return rc;
}

// The library's request becomes one of Casper's.
static int hand_out(int rc, const struct csp_post *p, MPI_Request inner, MPI_Request *request)
{
    if (rc != MPI_SUCCESS) // it stays open
        return rc;
    struct csp_req *r = &csp_transfer_take(p)->req;
    r->inner = inner;
    r->by_library = 1;
    *request = r->handle;
    return MPI_SUCCESS;
}

int csp_library_post(const struct csp_post *p, MPI_Request *request)
{
    MPI_Request inner = MPI_REQUEST_NULL;
    int rc = LARGE(Irecv)(p->buf, COUNT(p), p->type, p->peer, p->tag, p->comm->handle, &inner);
    return hand_out(rc, p, inner, request);
}

#if CSP_HAVE_MPI_Isendrecv
int csp_library_post_both(const struct csp_post *send, const struct csp_post *recv,
                          MPI_Request *request)
{
    MPI_Request inner = MPI_REQUEST_NULL;
    MPI_Comm comm = send->comm->handle;
    int rc =
        replaces(send)
            ? LARGE(Isendrecv_replace)(recv->buf, COUNT(recv), recv->type, send->peer, send->tag,
                                       recv->peer, recv->tag, comm, &inner)
            : LARGE(Isendrecv)(send->buf, COUNT(send), send->type, send->peer, send->tag, recv->buf,
                               COUNT(recv), recv->type, recv->peer, recv->tag, comm, &inner);
    return hand_out(rc, recv, inner, request);
}
#endif

int csp_library_init(struct csp_transfer *x)
{
    const struct csp_post *p = &x->post;
    MPI_Request *inner = &x->req.inner;
    MPI_Comm comm = p->comm->handle;
    switch (p->mode) {
    case CSP_P2P_RECV:
        return LARGE(Recv_init)(p->buf, COUNT(p), p->type, p->peer, p->tag, comm, inner);
    case CSP_P2P_SYNC:
        return LARGE(Ssend_init)(p->buf, COUNT(p), p->type, p->peer, p->tag, comm, inner);
    case CSP_P2P_BUFFERED:
        return LARGE(Bsend_init)(p->buf, COUNT(p), p->type, p->peer, p->tag, comm, inner);
    default:
        return LARGE(Send_init)(p->buf, COUNT(p), p->type, p->peer, p->tag, comm, inner);
    }
}

// Whether it took a message. A library does not say so of a receive that failed: then the flow stays as it is.
static int took(const MPI_Status *status)
{
    int cancelled = 0;
    csp_mpi.Test_cancelled(status, &cancelled);
    return !cancelled;
}

void csp_library_over(struct csp_req *r, MPI_Request *request, const MPI_Status *status)
{
    struct csp_transfer *x = csp_transfer_of(r);
    if (x->post.open)
        csp_p2p_flow_met(&x->post, took(status), status->MPI_SOURCE, status->MPI_TAG);
    r->by_library = 0;
    if (r->persistent) {
        r->active = 0;
        return;
    }
    r->inner = MPI_REQUEST_NULL;
    *request = MPI_REQUEST_NULL;
    csp_transfer_drop(x);
}

// Casper does not know which message it was: a receive that is cancelled may have been the one that the balance counts on.
static void look_at_cancelled(MPI_Request request)
{
    MPI_Status status;
    int flag = 0, cancelled = 1;
    int rc = csp_mpi.Request_get_status(request, &flag, &status);
    if (rc == MPI_SUCCESS && flag)
        csp_mpi.Test_cancelled(&status, &cancelled);
    if (cancelled)
        csp_p2p_flow_lost();
}

// Of ghosts' messages only receives are cancelled.
static int may_cancel(struct csp_req *r)
{
    struct csp_post *p = &csp_transfer_of(r)->post;
    if (!r->active || r->kind->cancel != csp_transfer_cancel)
        return 1;
    return (p->mode != CSP_P2P_RECV && !r->by_library) || csp_p2p_flow_cancel(p);
}

int csp_p2p_cancel(MPI_Request *request)
{
    struct csp_req *r = csp_req_find(*request);
    if (r)
        return may_cancel(r) ? csp_req_cancel(request) : MPI_SUCCESS;
    int rc = csp_mpi.Cancel(request);
    if (rc == MPI_SUCCESS && csp_detour(CSP_BY_AUTO))
        look_at_cancelled(*request);
    return rc;
}
