// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The first ghosts of a job's nodes exchange predictions (adapt/news.h). A ghost looks for messages, and for what is due,
// at times of its own.
#include "exchange_sim.h"

#include <stdlib.h>
#include <string.h>
#include "adapt/news.h"
#include "exchange_post.h"
#include "unit.h"

enum { LOOKS = 10 }; // times at which ghosts look, of each look_ms

struct ghost {
    struct ghosts *all;
    int node;
    struct csp_news news;
    _Atomic uint8_t *table;
    struct exchange_desk desk;
    double change_ns, changed_ns; // the next one; the last one
    int changes_left;
};

struct ghosts {
    const struct exchange_job *job;
    const struct exchange_gsync *gsync;
    int nodes;
    struct ghost *ghosts;
    int32_t *first;
    uint8_t *stale; // [who * nodes + of]: does not know
    long nstale;
    double now_ns, stale_ns; // the longest
    struct exchange_ghosts result;
    uint64_t seed;
};

static void send(void *ctx, int to, enum csp_news_kind kind, const void *text, size_t bytes)
{
    struct ghost *g = ctx;
    exchange_send(&g->desk, &g->all->ghosts[to].desk, g->all->now_ns, (int)kind, text, bytes);
}

static int users_of(const struct ghosts *w, int node)
{
    return w->first[node + 1] - w->first[node];
}

static int knows(const struct ghosts *w, const struct ghost *g, int node)
{
    return memcmp((const void *)(g->table + w->first[node]),
                  (const void *)(w->ghosts[node].table + w->first[node]),
                  (size_t)users_of(w, node)) == 0;
}

// What the ghost knows now that it did not.
static void look_for_stale(struct ghosts *w, struct ghost *g, const struct exchange_letter *l)
{
    struct csp_pack_record r;
    for (size_t at = 0; csp_pack_next(l->text, l->bytes, &at, &r);) {
        uint8_t *stale = &w->stale[(size_t)g->node * (size_t)w->nodes + (size_t)r.node];
        int is = !knows(w, g, r.node);
        double ns = w->now_ns - w->ghosts[r.node].changed_ns;
        if (*stale && !is && ns > w->stale_ns)
            w->stale_ns = ns;
        w->nstale += is - *stale;
        *stale = (uint8_t)is;
    }
}

static void receive(struct ghosts *w, struct ghost *g)
{
    struct exchange_letter *l;
    while ((l = exchange_take(&g->desk, w->now_ns))) {
        exchange_note(&g->desk, w->now_ns, l, (int)l->bytes * 8);
        csp_news_receive(&g->news, (enum csp_news_kind)l->kind, l->text, l->bytes);
        look_for_stale(w, g, l);
        free(l);
    }
}

// One of its users.
static void change(struct ghosts *w, struct ghost *g)
{
    int users = users_of(w, g->node);
    g->table[w->first[g->node] + (int)(unit_random(&w->seed) % (uint64_t)users)] ^= 1;
    g->changed_ns = w->now_ns;
    g->change_ns += w->gsync->interval_ms * 1e6;
    g->changes_left--;
    csp_news_changed(&g->news);
    for (int i = 0; i < w->nodes; i++) {
        uint8_t *stale = &w->stale[(size_t)i * (size_t)w->nodes + (size_t)g->node];
        int is = i != g->node && !knows(w, &w->ghosts[i], g->node);
        w->nstale += is - *stale;
        *stale = (uint8_t)is;
    }
}

static void look(struct ghosts *w, struct ghost *g)
{
    if (g->changes_left > 0 && w->now_ns >= g->change_ns)
        change(w, g);
    receive(w, g);
    csp_news_turn(&g->news, (uint64_t)w->now_ns);
}

static void begin(struct ghosts *w, int node)
{
    struct ghost *g = &w->ghosts[node];
    int all = w->job->change == EXCHANGE_ALL;
    *g = (struct ghost){.all = w, .node = node};
    exchange_desk_open(&g->desk, node);
    g->table = exchange_calloc((size_t)w->job->users, 1);
    if (all || (w->job->change == EXCHANGE_ONE && node == w->nodes - 1))
        g->changes_left = all ? w->gsync->intervals : 1;
    if (all)
        g->change_ns = w->gsync->interval_ms * 1e6 * (double)(unit_random(&w->seed) % 1000) * 1e-3;
    csp_news_begin(&g->news,
                   &(struct csp_news_config){.node = node,
                                             .nnodes = w->nodes,
                                             .first = w->first,
                                             .table = g->table,
                                             .interval_ns = (uint64_t)(w->gsync->interval_ms * 1e6),
                                             .send = send,
                                             .ctx = g});
}

static void end_interval(struct ghosts *w)
{
    struct exchange_ghosts *r = &w->result;
    for (int i = 0; i < w->nodes; i++) {
        struct ghost *g = &w->ghosts[i];
        const struct exchange_desk *d = &g->desk;
        double busy = d->busy_ns / (w->gsync->interval_ms * 1e6);
        r->messages = d->messages > r->messages ? d->messages : r->messages;
        r->bytes = d->bytes > r->bytes ? d->bytes : r->bytes;
        r->busy = busy > r->busy ? busy : r->busy;
        exchange_desk_forget(&g->desk);
    }
}

static void run(struct ghosts *w)
{
    int steps = (int)(LOOKS * w->gsync->interval_ms / w->gsync->look_ms);
    for (int interval = 0; interval < w->gsync->intervals + 3; interval++) {
        for (int i = 0; i < steps; i++, w->now_ns += w->gsync->look_ms * 1e6 / LOOKS)
            for (int node = i % LOOKS; node < w->nodes; node += LOOKS)
                look(w, &w->ghosts[node]);
        end_interval(w);
    }
}

static void end(struct ghosts *w)
{
    for (int i = 0; i < w->nodes; i++) {
        struct ghost *g = &w->ghosts[i];
        for (int of = 0; of < w->nodes; of++)
            w->result.wrong += !knows(w, g, of);
        w->result.wrong += g->desk.first != NULL;
        csp_news_free(&g->news);
    }
    for (int i = 0; i < w->nodes; i++)
        free((void *)w->ghosts[i].table);
    free(w->ghosts);
    free(w->first);
    free(w->stale);
}

struct exchange_ghosts exchange_ghosts(const struct exchange_job *job,
                                       const struct exchange_gsync *gsync)
{
    struct ghosts w = {.job = job, .gsync = gsync, .now_ns = 1, .seed = 1};
    w.nodes = (job->users + job->per_node - 1) / job->per_node;
    w.ghosts = exchange_calloc((size_t)w.nodes, sizeof(*w.ghosts));
    w.first = exchange_calloc((size_t)w.nodes + 1, sizeof(*w.first));
    w.stale = exchange_calloc((size_t)w.nodes * (size_t)w.nodes, 1);
    for (int i = 1; i <= w.nodes; i++)
        w.first[i] = i * job->per_node < job->users ? i * job->per_node : job->users;
    for (int i = 0; i < w.nodes; i++)
        begin(&w, i);
    run(&w);
    w.result.nodes = w.nodes;
    for (int node = w.nodes - 1; node > 0; node = (node - 1) / CSP_NEWS_CHILDREN)
        w.result.levels++;
    w.result.stale_ms = w.stale_ns * 1e-6;
    end(&w);
    return w.result;
}
