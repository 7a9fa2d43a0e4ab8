// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "exchange_sim.h"

#include <stdlib.h>
#include <string.h>
#include "adapt/share.h"
#include "base/log.h"
#include "exchange_post.h"

enum { PHASES = 3 }; // vote, exchange, barrier

const struct exchange_net exchange_net = {1000, 500, 0.1, 1};

// A leader in a fence: phase by phase, round by round.
struct leader {
    struct fence *fence;
    int me, phase, round;
    double free_ns; // its processor
    int depth;      // messages behind each other until now
    uint32_t heard[PHASES];
    struct csp_share *share;
    int messages;
    double bytes;
};

struct message {
    double at_ns;
    long number; // of all: equal times keep their order
    int to, phase, round, last, depth;
    size_t bytes;
    unsigned char *text;
};

struct fence {
    const struct exchange_job *job;
    int nodes, phases;
    struct leader *leaders;
    struct message *heap; // the earliest first
    size_t nheap, room;
    long sent;
    _Atomic uint8_t *truth;
};

static int earlier(const struct message *a, const struct message *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->number < b->number;
}

static void push(struct fence *f, struct message m)
{
    if (f->nheap == f->room) {
        f->room = 2 * f->room + 64;
        void *heap = realloc(f->heap, f->room * sizeof(m));
        CSP_CHECK(heap, "out of memory for a simulation");
        f->heap = heap;
    }
    size_t i = f->nheap++;
    for (; i > 0 && earlier(&m, &f->heap[(i - 1) / 2]); i = (i - 1) / 2)
        f->heap[i] = f->heap[(i - 1) / 2];
    f->heap[i] = m;
}

static struct message pop(struct fence *f)
{
    struct message first = f->heap[0], last = f->heap[--f->nheap];
    size_t i = 0, child = 1;
    while (child < f->nheap) {
        child += child + 1 < f->nheap && earlier(&f->heap[child + 1], &f->heap[child]);
        if (!earlier(&f->heap[child], &last))
            break;
        f->heap[i] = f->heap[child];
        i = child;
        child = 2 * i + 1;
    }
    f->heap[i] = last;
    return first;
}

static void transmit(void *ctx, int to, int round, int last, const void *text, size_t bytes)
{
    struct leader *l = ctx;
    l->free_ns += exchange_end_ns(bytes);
    l->messages++;
    l->bytes += (double)(EXCHANGE_HEAD_BYTES + bytes);
    struct message m = {.at_ns = l->free_ns + exchange_net.latency_ns,
                        .number = l->fence->sent++,
                        .to = to,
                        .phase = l->phase,
                        .round = round,
                        .last = last,
                        .depth = l->depth + 1,
                        .bytes = bytes};
    if (bytes) {
        m.text = exchange_calloc(bytes, 1);
        memcpy(m.text, text, bytes);
    }
    push(l->fence, m);
}

static void tell(struct leader *l)
{
    if (l->phase == 1)
        csp_share_tell(l->share, l->round, transmit, l);
    else
        transmit(l, csp_rounds_to(l->me, l->fence->nodes, l->round), l->round, 1, NULL, 0);
}

static void count(void *ctx, const struct csp_pack_record *r)
{
    *(int *)ctx += r->users;
}

static double write_ns(const struct leader *l)
{
    int users = 0;
    csp_share_each(l->share, count, &users);
    return users * exchange_net.user_ns;
}

// As far as it gets with what it heard.
static void proceed(struct leader *l)
{
    int rounds = csp_rounds(l->fence->nodes);
    while (l->phase < l->fence->phases && l->heard[l->phase] >> l->round & 1) {
        if (++l->round == rounds) {
            l->round = 0;
            l->free_ns += l->phase == 1 ? write_ns(l) : 0;
            l->phase++;
        }
        if (l->phase < l->fence->phases)
            tell(l);
    }
}

static void arrive(struct fence *f, const struct message *m)
{
    struct leader *l = &f->leaders[m->to];
    l->free_ns = l->free_ns > m->at_ns ? l->free_ns : m->at_ns;
    l->free_ns += exchange_end_ns(m->bytes);
    l->depth = l->depth > m->depth ? l->depth : m->depth;
    if (m->phase == 1)
        csp_share_receive(l->share, m->round, m->last, m->text, m->bytes);
    l->heard[m->phase] |= (uint32_t)m->last << m->round;
    free(m->text);
    proceed(l);
}

struct compared {
    const struct fence *fence;
    int right;
};

static void compare(void *ctx, const struct csp_pack_record *r)
{
    struct compared *c = ctx;
    const _Atomic uint8_t *truth =
        c->fence->truth + (size_t)r->node * (size_t)c->fence->job->per_node;
    for (int u = 0; u < r->users; u++)
        c->right += csp_pack_bit(r, u) == truth[u];
}

static int users_of(const struct exchange_job *job, int node)
{
    int left = job->users - node * job->per_node;
    return left < job->per_node ? left : job->per_node;
}

static int has_news(const struct exchange_job *job, int nodes, int node)
{
    return job->change == EXCHANGE_ALL || (job->change == EXCHANGE_ONE && node == nodes / 2);
}

static void begin(struct fence *f, int node)
{
    struct leader *l = &f->leaders[node];
    *l = (struct leader){.fence = f, .me = node, .share = csp_share_new(node, f->nodes)};
    if (has_news(f->job, f->nodes, node))
        csp_share_own(l->share, f->truth + (size_t)node * (size_t)f->job->per_node,
                      users_of(f->job, node));
}

static void end(const struct fence *f, struct leader *l, struct exchange_fence *r)
{
    struct compared c = {f, 0};
    int due = 0;
    csp_share_each(l->share, compare, &c);
    for (int node = 0; node < f->nodes; node++)
        if (node != l->me && has_news(f->job, f->nodes, node))
            due += users_of(f->job, node);
    r->wrong += (due - c.right) + (f->nodes > 1 && l->phase != f->phases);
    r->steps = l->depth > r->steps ? l->depth : r->steps;
    r->messages = l->messages > r->messages ? l->messages : r->messages;
    r->bytes = l->bytes > r->bytes ? l->bytes : r->bytes;
    r->time_us = l->free_ns * 1e-3 > r->time_us ? l->free_ns * 1e-3 : r->time_us;
    csp_share_free(l->share);
}

static int nodes_of(const struct exchange_job *job)
{
    return (job->users + job->per_node - 1) / job->per_node;
}

struct exchange_fence exchange_fence(const struct exchange_job *job)
{
    struct fence f = {.job = job, .nodes = nodes_of(job)};
    struct exchange_fence r = {.nodes = f.nodes};
    f.phases = job->change == EXCHANGE_NONE ? 1 : PHASES; // the vote says that there is nothing
    f.leaders = exchange_calloc((size_t)f.nodes, sizeof(*f.leaders));
    f.truth = exchange_calloc((size_t)job->users, 1);
    for (int i = 0; i < job->users; i++)
        f.truth[i] = (uint8_t)(i % 3 == 0);
    for (int i = 0; i < f.nodes; i++)
        begin(&f, i);
    for (int i = 0; i < f.nodes && f.nodes > 1; i++)
        tell(&f.leaders[i]);
    while (f.nheap > 0) {
        struct message m = pop(&f);
        arrive(&f, &m);
    }
    for (int i = 0; i < f.nodes; i++)
        end(&f, &f.leaders[i], &r);
    free(f.leaders);
    free(f.heap);
    free((void *)f.truth);
    return r;
}
