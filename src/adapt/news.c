// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "adapt/news.h"

#include <stdlib.h>
#include "base/log.h"

void csp_news_begin(struct csp_news *n, const struct csp_news_config *config)
{
    size_t nodes = (size_t)config->nnodes;
    *n = (struct csp_news){.config = *config};
    n->waiting = calloc(nodes, sizeof(*n->waiting));
    n->waits = calloc(nodes, sizeof(*n->waits));
    CSP_CHECK(n->waiting && n->waits, "out of memory for the exchange of predictions");
}

void csp_news_free(struct csp_news *n)
{
    free(n->waiting);
    free(n->waits);
}

static int first_child(const struct csp_news *n)
{
    return n->config.node * CSP_NEWS_CHILDREN + 1;
}

static int end_of_children(const struct csp_news *n)
{
    int end = first_child(n) + CSP_NEWS_CHILDREN;
    return end < n->config.nnodes ? end : n->config.nnodes;
}

static int children(const struct csp_news *n)
{
    int count = end_of_children(n) - first_child(n);
    return count > 0 ? count : 0;
}

static void send_up(const struct csp_news *n, enum csp_news_kind kind, const struct csp_pack *p)
{
    int parent = (n->config.node - 1) / CSP_NEWS_CHILDREN;
    n->config.send(n->config.ctx, parent, kind, p->at, p->bytes);
}

static void send_down(const struct csp_news *n, enum csp_news_kind kind, const void *text,
                      size_t bytes)
{
    for (int i = first_child(n); i < end_of_children(n); i++)
        n->config.send(n->config.ctx, i, kind, text, bytes);
}

static void send_on(const struct csp_news *n, struct csp_pack *p)
{
    if (n->config.node == CSP_NEWS_ROOT)
        send_down(n, CSP_NEWS_DOWN, p->at, p->bytes);
    else
        send_up(n, CSP_NEWS_UP, p);
    p->bytes = 0;
}

// What they are now, which is what counts.
static void pass_on(struct csp_news *n)
{
    struct csp_pack p = {.bytes = 0};
    const int32_t *first = n->config.first;
    for (int i = 0; i < n->nwaiting;) {
        int node = n->waiting[i];
        if (csp_pack_add(&p, node, n->config.table + first[node], first[node + 1] - first[node]))
            n->waits[n->waiting[i++]] = 0;
        else
            send_on(n, &p);
    }
    if (n->nwaiting)
        send_on(n, &p);
    n->nwaiting = 0;
}

static void collect(struct csp_news *n, int node)
{
    if (n->waits[node])
        return;
    n->waits[node] = 1;
    n->waiting[n->nwaiting++] = node;
}

static void note(const struct csp_news *n, const struct csp_pack_record *r)
{
    _Atomic uint8_t *of = n->config.table + n->config.first[r->node];
    for (int i = 0; i < r->users; i++)
        atomic_store_explicit(&of[i], (uint8_t)csp_pack_bit(r, i), memory_order_relaxed);
}

// Older ones than those that wait here, or are the own ones, may come down: newer ones will.
static void on_news(struct csp_news *n, int up, const void *text, size_t bytes)
{
    struct csp_pack_record r;
    for (size_t at = 0; csp_pack_next(text, bytes, &at, &r);) {
        if (r.node != n->config.node && (up || !n->waits[r.node]))
            note(n, &r);
        if (up)
            collect(n, r.node);
    }
}

// Nobody will tell the root anything any more; behind all news, on every edge of the tree.
static void finish(struct csp_news *n)
{
    send_down(n, CSP_NEWS_END, NULL, 0);
    n->over = 1;
}

static void try_end(struct csp_news *n)
{
    static const struct csp_pack empty;
    if (!n->ending || n->ended < children(n))
        return;
    pass_on(n);
    if (n->config.node == CSP_NEWS_ROOT)
        finish(n);
    else
        send_up(n, CSP_NEWS_DONE, &empty);
}

void csp_news_receive(struct csp_news *n, enum csp_news_kind kind, const void *text, size_t bytes)
{
    switch (kind) {
    case CSP_NEWS_UP:
        on_news(n, 1, text, bytes);
        break;
    case CSP_NEWS_DOWN:
        on_news(n, 0, text, bytes);
        send_down(n, kind, text, bytes);
        break;
    case CSP_NEWS_DONE:
        n->ended++;
        try_end(n);
        break;
    case CSP_NEWS_END:
        finish(n);
        break;
    }
}

int csp_news_turn(struct csp_news *n, uint64_t now_ns)
{
    if (n->changed && !n->ending && now_ns >= n->own_ns) {
        n->changed = 0;
        n->own_ns = now_ns + n->config.interval_ns;
        collect(n, n->config.node);
    }
    if (!n->nwaiting || now_ns < n->pass_ns)
        return 0;
    n->pass_ns = now_ns + n->config.interval_ns / CSP_NEWS_SHARES;
    pass_on(n);
    return 1;
}

void csp_news_end(struct csp_news *n)
{
    if (n->ending)
        return;
    n->ending = 1;
    try_end(n);
}
