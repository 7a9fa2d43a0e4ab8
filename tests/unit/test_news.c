// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// First ghosts of up to MOST nodes; messages between two of them arrive in order, after any time.
#include "unit.h"
#include "adapt/news.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 80, STEPS = 4000, SHARE = 10, INTERVAL = SHARE * CSP_NEWS_SHARES };

struct letter {
    struct letter *next;
    enum csp_news_kind kind;
    size_t bytes;
    unsigned char text[];
};

struct queue {
    struct letter *first, **end;
};

struct world {
    int nodes, users;
    int32_t first[MOST + 1];
    struct csp_news news[MOST];
    struct end {
        struct world *world;
        int node;
    } ends[MOST];
    _Atomic uint8_t *table[MOST];  // each node's view
    struct queue queues[2 * MOST]; // [node * 2]: to its parent; behind it: from there
    long sent;
    uint64_t now, seed;
};

static void put(void *ctx, int to, enum csp_news_kind kind, const void *text, size_t bytes)
{
    const struct end *from = ctx;
    int up = kind == CSP_NEWS_UP || kind == CSP_NEWS_DONE, child = up ? from->node : to;
    struct queue *q = &from->world->queues[2 * child + !up];
    struct letter *l = malloc(sizeof(*l) + bytes);
    assert_int_equal((child - 1) / CSP_NEWS_CHILDREN, up ? to : from->node);
    assert_true(bytes <= CSP_PACK_BYTES);
    *l = (struct letter){.kind = kind, .bytes = bytes};
    if (bytes)
        memcpy(l->text, text, bytes);
    *q->end = l;
    q->end = &l->next;
    from->world->sent++;
}

static struct world *new_world(int nodes, uint64_t seed)
{
    struct world *w = calloc(1, sizeof(*w));
    w->nodes = nodes;
    w->seed = seed;
    for (int i = 0; i < 2 * MOST; i++)
        w->queues[i].end = &w->queues[i].first;
    for (int i = 0; i < nodes; i++)
        w->first[i + 1] = w->first[i] + 1 + (int32_t)(unit_random(&w->seed) % 400);
    w->users = w->first[nodes];
    for (int i = 0; i < nodes; i++) {
        w->table[i] = calloc((size_t)w->users, 1);
        w->ends[i] = (struct end){w, i};
        csp_news_begin(&w->news[i], &(struct csp_news_config){.node = i,
                                                              .nnodes = nodes,
                                                              .first = w->first,
                                                              .table = w->table[i],
                                                              .interval_ns = INTERVAL,
                                                              .send = put,
                                                              .ctx = &w->ends[i]});
    }
    return w;
}

static void free_world(struct world *w)
{
    for (int i = 0; i < w->nodes; i++) {
        csp_news_free(&w->news[i]);
        free((void *)w->table[i]);
    }
    for (int i = 0; i < 2 * w->nodes; i++)
        for (struct letter *l = w->queues[i].first; l;) {
            struct letter *next = l->next;
            free(l); // on its way still
            l = next;
        }
    free(w);
}

// One message of some edge. @return 0: none is on its way.
static int deliver(struct world *w)
{
    int edges = 2 * w->nodes, at = (int)(unit_random(&w->seed) % (uint64_t)edges);
    for (int i = 0; i < edges; i++, at = (at + 1) % edges) {
        struct queue *q = &w->queues[at];
        struct letter *l = q->first;
        if (!l)
            continue;
        struct csp_news *to = &w->news[at % 2 ? at / 2 : (at / 2 - 1) / CSP_NEWS_CHILDREN];
        assert_false(to->over); // nothing comes after the end
        q->first = l->next;
        if (!l->next)
            q->end = &q->first;
        csp_news_receive(to, l->kind, l->text, l->bytes);
        free(l);
        return 1;
    }
    return 0;
}

static void change(struct world *w, int node)
{
    int users = w->first[node + 1] - w->first[node];
    int user = w->first[node] + (int)(unit_random(&w->seed) % (uint64_t)users);
    w->table[node][user] ^= 1;
    csp_news_changed(&w->news[node]);
}

static void turn_all(struct world *w)
{
    for (int i = 0; i < w->nodes; i++)
        csp_news_turn(&w->news[i], w->now);
}

// Passes time, with messages that take none.
static void pass(struct world *w, uint64_t time)
{
    for (uint64_t end = w->now + time; w->now < end; w->now++) {
        turn_all(w);
        while (deliver(w))
            ;
    }
}

// How long the last news may take: their own interval, and a share of one at each level of the tree.
static uint64_t latest(const struct world *w)
{
    uint64_t time = INTERVAL + 1;
    for (int node = w->nodes - 1; node > 0; node = (node - 1) / CSP_NEWS_CHILDREN)
        time += SHARE + 1;
    return time + SHARE;
}

static void all_know(const struct world *w)
{
    for (int i = 0; i < w->nodes; i++)
        for (int owner = 0; owner < w->nodes; owner++)
            for (int u = w->first[owner]; u < w->first[owner + 1]; u++)
                assert_int_equal(w->table[i][u], w->table[owner][u]);
}

static void end_all(struct world *w)
{
    for (int left = w->nodes; left > 0; left--) { // in any order
        int i = (int)(unit_random(&w->seed) % (uint64_t)w->nodes);
        while (w->news[i].ending)
            i = (i + 1) % w->nodes;
        csp_news_end(&w->news[i]);
        csp_news_end(&w->news[i]); // once more does nothing
        deliver(w);
    }
    while (deliver(w))
        ;
    for (int i = 0; i < w->nodes; i++)
        assert_true(w->news[i].over);
}

static void run(int nodes, uint64_t seed)
{
    struct world *w = new_world(nodes, seed);
    for (int step = 0; step < STEPS; step++) {
        if (unit_random(&w->seed) % 8 == 0)
            change(w, (int)(unit_random(&w->seed) % (uint64_t)nodes));
        csp_news_turn(&w->news[unit_random(&w->seed) % (uint64_t)nodes], w->now++);
        for (uint64_t n = unit_random(&w->seed) % 64; n > 0; n--)
            deliver(w);
    }
    while (deliver(w))
        ;
    pass(w, latest(w));
    all_know(w);
    end_all(w);
    all_know(w);
    free_world(w);
}

static void all_learn_of_all(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++)
        run(1 + (int)(seed * 7 % MOST), seed);
}

static void without_news_there_are_no_messages(void **state)
{
    (void)state;
    struct world *w = new_world(60, 3);
    pass(w, 10 * INTERVAL);
    assert_int_equal(w->sent, 0);
    change(w, 50); // its parent is node 6, below the root
    pass(w, 3 * (SHARE + 1));
    assert_int_equal(w->sent, 2 + 59);
    all_know(w);
    pass(w, 10 * INTERVAL);
    assert_int_equal(w->sent, 2 + 59);
    free_world(w);
}

// However often its users' predictions and those of the nodes below change.
static void a_ghost_has_no_more_messages_in_larger_jobs(void **state)
{
    (void)state;
    struct world *w = new_world(MOST, 9);
    for (int i = 0; i < 2 * INTERVAL; i++) {
        for (int node = 0; node < MOST; node++)
            change(w, node);
        pass(w, 1);
    }
    int records = 8; // of 400 users, in messages of 8000 bytes: of all nodes
    assert_true(w->sent <= 2 * CSP_NEWS_SHARES * 2 * records * MOST);
    pass(w, latest(w));
    all_know(w);
    free_world(w);
}

static void news_are_told_once_an_interval(void **state)
{
    (void)state;
    struct world *w = new_world(2, 5);
    int told = 0;
    for (w->now = 1; w->now <= 10 * INTERVAL; w->now++) {
        change(w, 1);
        told += csp_news_turn(&w->news[1], w->now);
    }
    assert_in_range(told, 10, 11);
    free_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_learn_of_all),
        cmocka_unit_test(without_news_there_are_no_messages),
        cmocka_unit_test(a_ghost_has_no_more_messages_in_larger_jobs),
        cmocka_unit_test(news_are_told_once_an_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
