// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Receives: at once, later, after a probe, of a matched message; cancelled, freed.
#include "pr.h"

enum { FREED_LIMIT_S = 20 };

// A receive with its buffer.
struct want {
    struct pr_pair *pair;
    MPI_Comm comm;
    MPI_Datatype type;
    int count;
    unsigned char *buffer;
    void *address;
};

static int receive(const struct want *w, int source, int tag, MPI_Request *request,
                   MPI_Status *status)
{
#if CSP_HAVE_MPI_Send_c
    if (w->pair->r.count_c && request)
        return MPI_Irecv_c(w->address, w->count, w->type, source, tag, w->comm, request);
    if (w->pair->r.count_c)
        return MPI_Recv_c(w->address, w->count, w->type, source, tag, w->comm, status);
#endif
    return request ? MPI_Irecv(w->address, w->count, w->type, source, tag, w->comm, request)
                   : MPI_Recv(w->address, w->count, w->type, source, tag, w->comm, status);
}

static int receive_matched(const struct want *w, MPI_Message *message, MPI_Request *request,
                           MPI_Status *status)
{
#if CSP_HAVE_MPI_Send_c
    if (w->pair->r.count_c && request)
        return MPI_Imrecv_c(w->address, w->count, w->type, message, request);
    if (w->pair->r.count_c)
        return MPI_Mrecv_c(w->address, w->count, w->type, message, status);
#endif
    return request ? MPI_Imrecv(w->address, w->count, w->type, message, request)
                   : MPI_Mrecv(w->address, w->count, w->type, message, status);
}

/** A message that the receive may take is there: what it is. */
static void probe(const struct want *w, MPI_Message *message, MPI_Status *status)
{
    const struct pr_receive *r = &w->pair->r;
    int flag = 0, rc = MPI_SUCCESS;
    if (r->way == PR_PROBE)
        rc = MPI_Probe(r->source, r->tag, w->comm, status);
    else if (r->way == PR_MPROBE)
        rc = MPI_Mprobe(r->source, r->tag, w->comm, message, status);
    while (!flag && rc == MPI_SUCCESS && r->way == PR_IPROBE)
        rc = MPI_Iprobe(r->source, r->tag, w->comm, &flag, status);
    while (!flag && rc == MPI_SUCCESS && r->way == PR_IMPROBE)
        rc = MPI_Improbe(r->source, r->tag, w->comm, &flag, message, status);
    pr_check_code(w->pair->pool, w->pair, rc, "probe");
    pr_check_probed(w->pair, status);
}

static int probe_and_receive(const struct want *w, MPI_Request *request, MPI_Status *status)
{
    const bool matched = w->pair->r.way >= PR_MPROBE;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status found;
    probe(w, &message, &found);
    int rc = matched ? receive_matched(w, &message, request, status)
                     : receive(w, found.MPI_SOURCE, found.MPI_TAG, request, status);
    if (matched && rc == MPI_SUCCESS && message != MPI_MESSAGE_NULL)
        pr_wrong(w->pair->pool, w->pair, "the message is still there after it was received");
    return rc;
}

static void settle_open(struct pr_thread *t, const struct want *w, MPI_Request request)
{
    struct pr_open *open = pr_open_add(t, request);
    open->wanted = w->pair;
    open->in = w->buffer;
    if (w->pair->r.freed) {
        MPI_Request_free(&open->request);
        t->freed[t->nfreed++] = *open;
        t->nopen--;
    }
}

void pr_recv(struct pr_thread *t, struct pr_pair *pair)
{
    const struct pr_receive *r = &pair->r;
    MPI_Datatype leaf = pr_leaf(pair->pool->extent);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    struct want w = {.pair = pair, .comm = pr_comm_of(pair->pool), .buffer = pr_buffer(&r->side)};
    const bool later = r->way == PR_NONBLOCKING || (r->way > PR_BLOCKING && r->nonblocking);
    w.address = pr_address(w.buffer, &r->side);
    w.type = rnd_side_type(&r->side, leaf, &w.count);
    pr_log_posted(pair);
    int rc = r->way > PR_BLOCKING
                 ? probe_and_receive(&w, later ? &request : NULL, &status)
                 : receive(&w, r->source, r->tag, later ? &request : NULL, &status);
    rnd_side_free(&w.type, leaf);
    if (!later) {
        pr_check_received(t, pair, w.buffer, &status, rc);
        free(w.buffer);
        return;
    }
    pr_check_code(pair->pool, pair, rc, "receive");
    settle_open(t, &w, request);
}

/** A receive that nothing is sent for. It is cancelled at once; completed with the others. */
void pr_cancel(struct pr_thread *t, struct pr_pool *pool)
{
    struct rnd_rng rng = {(uint64_t)pool->seed};
    const int bytes = rnd_chance(&rng, 50) ? 100 : 20000;
    int source = rnd_chance(&rng, 50) && rnd_has(PR_F_WILD_SOURCE) ? MPI_ANY_SOURCE : pool->to;
    unsigned char *buffer = csp_test_malloc((size_t)bytes);
    MPI_Request request;
    MPI_Irecv(buffer, bytes, MPI_BYTE, source, pool->tag, pr_comm_of(pool), &request);
    if (rnd_chance(&rng, 50))
        usleep(200);
    int rc = MPI_Cancel(&request);
    pr_check_code(pool, NULL, rc, "cancel");
    struct pr_open *open = pr_open_add(t, request);
    open->cancelled = true;
    open->in = buffer;
}

/** Data of freed receives come all the same; only time can tell. */
void pr_freed(struct pr_thread *t)
{
    for (int i = 0; i < t->nfreed; i++) {
        struct pr_pair *wanted = t->freed[i].wanted;
        int flag;
        if (!wanted)
            continue;
        rnd_at("freed receive", wanted->id);
        double end = MPI_Wtime() + FREED_LIMIT_S;
        while (!pr_is_received(wanted, &wanted->r.side, wanted->r.expected, t->freed[i].in) &&
               MPI_Wtime() < end)
            MPI_Iprobe(0, 29999, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (!pr_is_received(wanted, &wanted->r.side, wanted->r.expected, t->freed[i].in))
            pr_wrong(wanted->pool, wanted, "the data of a freed receive did not come");
        wanted->r.expected->taken = true;
        pr_log_received(wanted, wanted->r.expected);
        free(t->freed[i].in);
    }
}
