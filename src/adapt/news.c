// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "adapt/news.h"

enum { CHILDREN = 2, END = -1 };

void csp_news_begin(struct csp_news *n, const struct csp_news_config *config)
{
    *n = (struct csp_news){.config = *config};
}

static int users_of(const struct csp_news *n, int node)
{
    return n->config.first[node + 1] - n->config.first[node];
}

static void pass_down(const struct csp_news *n, const struct csp_news_msg *msg)
{
    int first = n->config.node * CHILDREN + 1; // the root is node 0
    for (int i = first; i < first + CHILDREN && i < n->config.nnodes; i++)
        n->config.send(n->config.ctx, i, msg);
}

static void tell(const struct csp_news *n, const struct csp_news_msg *msg)
{
    if (n->config.node == CSP_NEWS_ROOT)
        pass_down(n, msg);
    else
        n->config.send(n->config.ctx, CSP_NEWS_ROOT, msg);
}

static void tell_own(const struct csp_news *n)
{
    int node = n->config.node, users = users_of(n, node);
    const _Atomic uint8_t *mine = n->config.table + n->config.first[node];
    struct csp_news_msg msg = {.node = node};
    for (; msg.first < users; msg.first += CSP_NEWS_USERS) {
        for (int i = 0; i < CSP_NEWS_WORDS; i++)
            msg.bits[i] = 0;
        for (int i = 0; i < CSP_NEWS_USERS && msg.first + i < users; i++)
            if (atomic_load_explicit(&mine[msg.first + i], memory_order_relaxed))
                msg.bits[i / 64] |= UINT64_C(1) << i % 64;
        tell(n, &msg);
    }
}

static void note(const struct csp_news *n, const struct csp_news_msg *msg)
{
    int users = users_of(n, msg->node);
    _Atomic uint8_t *of = n->config.table + n->config.first[msg->node];
    for (int i = 0; i < CSP_NEWS_USERS && msg->first + i < users; i++)
        atomic_store_explicit(&of[msg->first + i], (uint8_t)(msg->bits[i / 64] >> i % 64 & 1),
                              memory_order_relaxed);
}

// Nobody will tell the root anything any more; behind all news, on every edge of the tree.
static void finish(struct csp_news *n)
{
    pass_down(n, &(struct csp_news_msg){.node = CSP_NEWS_ROOT, .first = END});
    n->over = 1;
}

static void note_end(struct csp_news *n)
{
    n->ended++;
    if (n->config.node != CSP_NEWS_ROOT || n->ended == n->config.nnodes)
        finish(n);
}

void csp_news_receive(struct csp_news *n, const struct csp_news_msg *msg)
{
    if (msg->first == END) {
        note_end(n);
        return;
    }
    if (msg->node != n->config.node)
        note(n, msg);
    pass_down(n, msg);
}

int csp_news_turn(struct csp_news *n, uint64_t now_ns)
{
    if (!n->changed || n->ending || now_ns < n->next_ns)
        return 0;
    n->changed = 0;
    n->next_ns = now_ns + n->config.interval_ns;
    tell_own(n);
    return 1;
}

void csp_news_end(struct csp_news *n)
{
    if (n->ending)
        return;
    n->ending = 1;
    if (n->config.node == CSP_NEWS_ROOT)
        note_end(n);
    else
        n->config.send(n->config.ctx, CSP_NEWS_ROOT,
                       &(struct csp_news_msg){.node = n->config.node, .first = END});
}
