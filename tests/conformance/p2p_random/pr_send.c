// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Sends of each mode, and calls that send and receive.
#include "pr.h"

typedef int send_call(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int isend_call(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
static send_call *const sends[PR_MODES] = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
static isend_call *const isends[PR_MODES] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};

#if CSP_HAVE_MPI_Send_c
typedef int send_c_call(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
typedef int isend_c_call(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
static send_c_call *const sends_c[PR_MODES] = {MPI_Send_c, MPI_Ssend_c, MPI_Bsend_c, MPI_Rsend_c};
static isend_c_call *const isends_c[PR_MODES] = {MPI_Isend_c, MPI_Issend_c, MPI_Ibsend_c,
                                                 MPI_Irsend_c};
#endif

/** request: NULL: blocking. */
static int call(const struct pr_message *m, const void *buf, int count, MPI_Datatype type,
                MPI_Comm comm, MPI_Request *request)
{
#if CSP_HAVE_MPI_Send_c
    if (m->count_c && request)
        return isends_c[m->mode](buf, count, type, m->to, m->tag, comm, request);
    if (m->count_c)
        return sends_c[m->mode](buf, count, type, m->to, m->tag, comm);
#endif
    return request ? isends[m->mode](buf, count, type, m->to, m->tag, comm, request)
                   : sends[m->mode](buf, count, type, m->to, m->tag, comm);
}

void pr_send(struct pr_thread *t, struct pr_pair *pair)
{
    const struct pr_message *m = &pair->m;
    MPI_Datatype leaf = pr_leaf(pair->pool->extent), type;
    MPI_Request request = MPI_REQUEST_NULL;
    unsigned char *buffer = pr_buffer(&m->side);
    int count;
    pr_fill(pair, buffer);
    type = rnd_side_type(&m->side, leaf, &count);
    pr_log_sent(pair);
    int rc = call(m, pr_address(buffer, &m->side), count, type, pr_comm_of(pair->pool),
                  m->blocking ? NULL : &request);
    pr_check_code(pair->pool, pair, rc, "send");
    rnd_side_free(&type, leaf);
    if (m->blocking) {
        if (!pr_check_sent(pair, buffer))
            pr_wrong(pair->pool, pair, "the send changed its buffer");
        free(buffer);
        return;
    }
    struct pr_open *open = pr_open_add(t, request);
    open->sent = pair;
    open->out = buffer;
    if (m->freed) {
        MPI_Request_free(&open->request);
        t->freed[t->nfreed++] = *open;
        t->nopen--;
    }
}

// A send and receive under way.
struct both {
    struct pr_pair *sent, *wanted;
    void *out, *in;
    int out_count, in_count;
    MPI_Datatype out_type, in_type;
    MPI_Comm comm;
};

static int replace(const struct both *b, MPI_Request *request, MPI_Status *status)
{
    const struct pr_message *m = &b->sent->m;
    const struct pr_receive *r = &b->wanted->r;
#if CSP_HAVE_MPI_Isendrecv_replace
    if (request)
        return MPI_Isendrecv_replace(b->in, b->in_count, b->in_type, m->to, m->tag, r->source,
                                     r->tag, b->comm, request);
#endif
    (void)request;
    return MPI_Sendrecv_replace(b->in, b->in_count, b->in_type, m->to, m->tag, r->source, r->tag,
                                b->comm, status);
}

static int exchange(const struct both *b, MPI_Request *request, MPI_Status *status)
{
    const struct pr_message *m = &b->sent->m;
    const struct pr_receive *r = &b->wanted->r;
#if CSP_HAVE_MPI_Isendrecv
    if (request)
        return MPI_Isendrecv(b->out, b->out_count, b->out_type, m->to, m->tag, b->in, b->in_count,
                             b->in_type, r->source, r->tag, b->comm, request);
#endif
    (void)request;
    return MPI_Sendrecv(b->out, b->out_count, b->out_type, m->to, m->tag, b->in, b->in_count,
                        b->in_type, r->source, r->tag, b->comm, status);
}

static struct pr_pair *wanted_by(struct pr_pool *pool, int rank)
{
    for (int i = 0; i < pool->npairs; i++)
        if (pool->pairs[i].m.to == rank)
            return &pool->pairs[i];
    return NULL;
}

void pr_both(struct pr_thread *t, struct pr_pool *pool, struct pr_pair *sent)
{
    const bool replaces = pool->ring == PR_REPLACE || pool->ring == PR_IREPLACE;
    const bool later =
        CSP_HAVE_MPI_Isendrecv && pool->ring >= PR_ISENDRECV && rnd_has(PR_F_ISENDRECV_LATER);
    MPI_Datatype leaf = pr_leaf(pool->extent);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    struct both b = {.sent = sent, .wanted = wanted_by(pool, sent->m.from)};
    unsigned char *in = pr_buffer(&b.wanted->r.side),
                  *out = replaces ? NULL : pr_buffer(&sent->m.side);
    pr_fill(sent, replaces ? in : out);
    b.comm = pr_comm_of(pool);
    b.in = pr_address(in, &b.wanted->r.side);
    b.out = replaces ? NULL : pr_address(out, &sent->m.side);
    b.in_type = rnd_side_type(&b.wanted->r.side, leaf, &b.in_count);
    b.out_type = rnd_side_type(&sent->m.side, leaf, &b.out_count);
    pr_log_sent(sent);
    pr_log_posted(b.wanted);
    int rc = replaces ? replace(&b, later ? &request : NULL, &status)
                      : exchange(&b, later ? &request : NULL, &status);
    rnd_side_free(&b.in_type, leaf);
    rnd_side_free(&b.out_type, leaf);
    if (later) {
        pr_check_code(pool, sent, rc, "send and receive");
        struct pr_open *open = pr_open_add(t, request);
        *open = (struct pr_open){
            .request = request, .sent = sent, .wanted = b.wanted, .in = in, .out = out};
        return;
    }
    if (out && !pr_check_sent(sent, out))
        pr_wrong(pool, sent, "the send changed its buffer");
    free(out);
    pr_check_received(t, b.wanted, in, &status, rc);
    free(in);
}
