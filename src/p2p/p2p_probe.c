// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Probes: a question to the ghost, which does the matching. MPI-4.1 3.8.
#include <pthread.h>
#include <stdlib.h>
#include "base/handles.h"
#include "p2p/p2p_library.h"
#include "p2p/p2p_msg.h"
#include "runtime/rt.h"
#include "runtime/wait.h"

static struct csp_handles messages = CSP_HANDLES_INIT;
static struct csp_msg *idle;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// A carrier.
static struct csp_msg *make(void)
{
    struct csp_msg *m = calloc(1, sizeof(*m));
    int flag = 0;
    CSP_CHECK(m, "out of memory for a message");
    int rc = csp_mpi.Isend(NULL, 0, MPI_BYTE, 0, 0, csp_rt.self, &m->send);
    while (rc == MPI_SUCCESS && !flag)
        rc = csp_mpi.Improbe(0, 0, csp_rt.self, &flag, &m->handle, MPI_STATUS_IGNORE);
    CSP_CHECK(rc == MPI_SUCCESS, "the MPI library could not make a matched message");
    csp_handles_put(&messages, (uintptr_t)m->handle, m);
    return m;
}

static struct csp_msg *take(struct csp_p2p_comm *comm, uint64_t message)
{
    pthread_mutex_lock(&lock);
    struct csp_msg *m = idle;
    if (m)
        idle = m->next;
    else
        m = make();
    pthread_mutex_unlock(&lock);
    csp_p2p_comm_hold(comm);
    m->comm = comm;
    m->message = message;
    return m;
}

static void give(struct csp_msg *m)
{
    csp_p2p_comm_drop(m->comm);
    pthread_mutex_lock(&lock);
    m->next = idle;
    idle = m;
    pthread_mutex_unlock(&lock);
}

void csp_msg_stop(void)
{
    while (idle) {
        struct csp_msg *m = idle;
        idle = m->next;
        csp_handles_drop(&messages, (uintptr_t)m->handle, m);
        csp_mpi.Mrecv(NULL, 0, MPI_BYTE, &m->handle, MPI_STATUS_IGNORE);
        csp_mpi.Wait(&m->send, MPI_STATUS_IGNORE);
        free(m);
    }
}

static struct csp_msg *find(MPI_Message message)
{
    return csp_handles_find(&messages, (uintptr_t)message);
}

int csp_p2p_has_message(MPI_Message message)
{
    return find(message) != NULL;
}

// Posts the question. *message: NULL, or the message is taken. @return whether there is one.
static int ask(struct csp_post *p, int flags, MPI_Message *message, MPI_Status *status)
{
    struct csp_wait w;
    struct csp_cell *c = csp_cell_take(0);
    c->kind = message ? CSP_CELL_MPROBE : CSP_CELL_PROBE;
    c->flags = (uint16_t)flags;
    csp_post_wanted(p, c);
    csp_cell_post(c);
    csp_wait_begin(&w,
                   flags & CSP_CELL_WAITS ? "a message of rank %ld with tag %ld to be there"
                                          : "a ghost to look for messages of rank %ld with tag %ld",
                   (long)p->peer, (long)p->tag);
    csp_cell_wait(c, &w);
    int found = (int)c->found;
    if (found)
        csp_status_fill(status, c->source, c->got_tag, c->got_bytes, 0);
    if (found && message) {
        *message = take(p->comm, c->message_got)->handle;
        csp_p2p_flow_met(p, 1, c->source, c->got_tag);
    }
    csp_cell_give(c);
    return found;
}

int csp_p2p_iprobe(const struct csp_post *post, int *flag, MPI_Status *status)
{
    struct csp_post p = *post;
    *flag = ask(&p, 0, NULL, status);
    return MPI_SUCCESS;
}

int csp_p2p_improbe(struct csp_post *p, int *flag, MPI_Message *message, MPI_Status *status)
{
    if (csp_p2p_by_library(p))
        return csp_library_improbe(p, flag, message, status);
    *flag = ask(p, 0, message, status);
    csp_p2p_flow_met(p, 0, 0, 0);
    return MPI_SUCCESS;
}

static int wait_for(struct csp_post *p, MPI_Message *message, MPI_Status *status)
{
    ask(p, CSP_CELL_WAITS, message, status);
    csp_p2p_flow_met(p, 0, 0, 0);
    return MPI_SUCCESS;
}

int csp_p2p_probe(struct csp_post *p, MPI_Status *status)
{
    if (csp_p2p_by_library(p))
        return csp_library_probe(p, status);
    return wait_for(p, NULL, status);
}

int csp_p2p_mprobe(struct csp_post *p, MPI_Message *message, MPI_Status *status)
{
    if (csp_p2p_by_library(p))
        return csp_library_mprobe(p, message, status);
    return wait_for(p, message, status);
}

// The library can not be asked: the message is not one of its own.
static int look(const struct csp_post *p, struct csp_type *store, const struct csp_type **t)
{
    return p->count < 0 ? MPI_ERR_COUNT : csp_post_look(p, store, t);
}

int csp_p2p_imrecv(struct csp_post *p, MPI_Message *message, MPI_Request *request)
{
    struct csp_msg *m = find(*message);
    struct csp_type store;
    const struct csp_type *t = NULL;
    struct csp_req_home home = csp_p2p_home(m->comm);
    int rc = csp_req_raise(&home, look(p, &store, &t));
    if (rc != MPI_SUCCESS)
        return rc;
    p->comm = m->comm;
    p->peer = MPI_ANY_SOURCE;
    p->tag = MPI_ANY_TAG;
    struct csp_transfer *x = csp_transfer_take(p);
    csp_transfer_post(x, t, m->message);
    give(m);
    *message = MPI_MESSAGE_NULL;
    *request = x->req.handle;
    return MPI_SUCCESS;
}

int csp_p2p_mrecv(struct csp_post *p, MPI_Message *message, MPI_Status *status)
{
    MPI_Request request;
    int rc = csp_p2p_imrecv(p, message, &request);
    return rc == MPI_SUCCESS ? csp_req_wait(&request, status) : rc;
}
