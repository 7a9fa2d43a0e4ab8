// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Persistent requests: started and completed round by round.
#include "pr.h"

// A slot of this rank: its receive, or its send.
struct slot {
    struct pr_pair *pair; // of the round
    MPI_Request *request;
    unsigned char *buffer;
    bool sends;
};

static int slots_of(struct pr_pool *pool, int round, struct slot *slots)
{
    const int me = pool->comm->me;
    int n = 0;
    for (int half = 0; half < 2; half++)
        for (int i = 0; i < pool->nslots; i++) {
            struct pr_pair *pair = &pool->pairs[round * pool->nslots + i];
            const int at = half * pool->nslots + i;
            if ((half ? pair->m.from : pair->m.to) == me && pr_pool_has(pool, pair))
                slots[n++] = (struct slot){pair, &pool->requests[at], pool->buffers[at], half == 1};
        }
    return n;
}

static int init_send(const struct pr_message *m, const void *buf, int count, MPI_Datatype type,
                     MPI_Comm comm, MPI_Request *request)
{
    if (m->mode == PR_SYNC)
        return MPI_Ssend_init(buf, count, type, m->to, m->tag, comm, request);
    if (m->mode == PR_BUFFERED)
        return MPI_Bsend_init(buf, count, type, m->to, m->tag, comm, request);
#if CSP_HAVE_MPI_Send_c
    if (m->count_c)
        return MPI_Send_init_c(buf, count, type, m->to, m->tag, comm, request);
#endif
    return MPI_Send_init(buf, count, type, m->to, m->tag, comm, request);
}

static int init_recv(const struct pr_receive *r, void *buf, int count, MPI_Datatype type,
                     MPI_Comm comm, MPI_Request *request)
{
#if CSP_HAVE_MPI_Send_c
    if (r->count_c)
        return MPI_Recv_init_c(buf, count, type, r->source, r->tag, comm, request);
#endif
    return MPI_Recv_init(buf, count, type, r->source, r->tag, comm, request);
}

static void init(struct pr_pool *pool, const struct slot *s)
{
    const struct rnd_side *side = s->sends ? &s->pair->m.side : &s->pair->r.side;
    MPI_Datatype leaf = pr_leaf(pool->extent), type;
    int count;
    type = rnd_side_type(side, leaf, &count);
    void *buf = pr_address(s->buffer, side);
    int rc = s->sends ? init_send(&s->pair->m, buf, count, type, pr_comm_of(pool), s->request)
                      : init_recv(&s->pair->r, buf, count, type, pr_comm_of(pool), s->request);
    pr_check_code(pool, s->pair, rc, "making of a persistent request");
    rnd_side_free(&type, leaf);
}

void pr_persist_init(struct pr_pool *pool)
{
    struct slot slots[16];
    pool->requests = calloc((size_t)pool->nslots * 2, sizeof *pool->requests);
    pool->buffers = calloc((size_t)pool->nslots * 2, sizeof *pool->buffers);
    if (!pool->requests || !pool->buffers)
        abort();
    for (int i = 0; i < 2 * pool->nslots; i++) {
        const struct pr_pair *pair = &pool->pairs[i % pool->nslots];
        pool->requests[i] = MPI_REQUEST_NULL;
        pool->buffers[i] = pr_buffer(i < pool->nslots ? &pair->r.side : &pair->m.side);
    }
    int n = slots_of(pool, 0, slots);
    for (int i = 0; i < n; i++)
        init(pool, &slots[i]);
}

void pr_persist_start(struct pr_thread *t, struct pr_pool *pool, int round)
{
    struct slot slots[16];
    MPI_Request requests[16];
    int n = slots_of(pool, round, slots), rc = MPI_SUCCESS;
    const bool together = rnd_chance(&t->rng, 50);
    for (int i = 0; i < n; i++) {
        if (slots[i].sends) {
            pr_fill(slots[i].pair, slots[i].buffer);
            pr_log_sent(slots[i].pair);
        } else {
            memset(slots[i].buffer, CSP_TEST_POISON, pr_buffer_bytes(&slots[i].pair->r.side));
            pr_log_posted(slots[i].pair);
        }
        requests[i] = *slots[i].request;
        if (!together)
            rc = MPI_Start(slots[i].request);
        if (rc != MPI_SUCCESS)
            pr_check_code(pool, slots[i].pair, rc, "start");
    }
    if (together)
        pr_check_code(pool, NULL, MPI_Startall(n, requests), "start");
}

void pr_persist_round(struct pr_thread *t, struct pr_pool *pool, int round)
{
    struct slot slots[16];
    const int first = t->nopen, n = slots_of(pool, round, slots);
    for (int i = 0; i < n; i++) {
        struct pr_open *open = pr_open_add(t, *slots[i].request);
        open->home = slots[i].request;
        open->sent = slots[i].sends ? slots[i].pair : NULL;
        open->wanted = slots[i].sends ? NULL : slots[i].pair;
        open->out = open->in = slots[i].buffer;
    }
    pr_complete(t, first);
}

void pr_persist_free(struct pr_pool *pool)
{
    for (int i = 0; i < 2 * pool->nslots && pool->requests; i++) {
        if (pool->requests[i] != MPI_REQUEST_NULL)
            pr_check_code(pool, NULL, MPI_Request_free(&pool->requests[i]), "free");
        free(pool->buffers[i]);
    }
    free(pool->requests);
    free(pool->buffers);
}
