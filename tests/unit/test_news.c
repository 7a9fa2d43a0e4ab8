// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// First ghosts of up to MOST nodes; messages between two of them arrive in order, after any time.
#include "unit.h"
#include "adapt/news.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 20, QUEUE = 4096, STEPS = 4000, INTERVAL = 100 };

struct queue {
    struct csp_news_msg msg[QUEUE];
    int head, tail;
};

struct world {
    int nodes, users;
    int32_t first[MOST + 1];
    struct csp_news news[MOST];
    struct end {
        struct world *world;
        int node;
    } ends[MOST];
    _Atomic uint8_t *table[MOST]; // each node's view
    struct queue *queues;         // [from * MOST + to]
    long sent;
    uint64_t now, seed;
};

static void put(void *ctx, int to, const struct csp_news_msg *msg)
{
    const struct end *from = ctx;
    struct queue *q = &from->world->queues[from->node * MOST + to];
    assert_true(q->tail - q->head < QUEUE);
    assert_int_not_equal(from->node, to);
    q->msg[q->tail++ % QUEUE] = *msg;
    from->world->sent++;
}

static struct world *new_world(int nodes, uint64_t seed)
{
    struct world *w = calloc(1, sizeof(*w));
    w->nodes = nodes;
    w->seed = seed;
    w->queues = calloc((size_t)MOST * MOST, sizeof(*w->queues));
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
    for (int i = 0; i < w->nodes; i++)
        free((void *)w->table[i]);
    free(w->queues);
    free(w);
}

// One message of some pair. @return 0: none is on its way.
static int deliver(struct world *w)
{
    int at = (int)(unit_random(&w->seed) % (MOST * MOST));
    for (int i = 0; i < MOST * MOST; i++, at = (at + 1) % (MOST * MOST)) {
        struct queue *q = &w->queues[at];
        if (q->head == q->tail)
            continue;
        assert_false(w->news[at % MOST].over); // nothing comes after the end
        csp_news_receive(&w->news[at % MOST], &q->msg[q->head++ % QUEUE]);
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
    w->now += INTERVAL;
    turn_all(w);
    while (deliver(w))
        ;
    all_know(w);
    end_all(w);
    all_know(w);
    free_world(w);
}

static void all_learn_of_all(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++)
        run(1 + (int)(seed % MOST), seed);
}

static void without_news_there_are_no_messages(void **state)
{
    (void)state;
    struct world *w = new_world(7, 3);
    w->now = 10 * INTERVAL;
    turn_all(w);
    assert_int_equal(w->sent, 0);
    change(w, 5);
    turn_all(w);
    while (deliver(w))
        ;
    int users = w->first[6] - w->first[5];
    assert_int_equal(w->sent, (1 + 6) * ((users + CSP_NEWS_USERS - 1) / CSP_NEWS_USERS));
    long before = w->sent;
    w->now += 10 * INTERVAL;
    turn_all(w);
    assert_int_equal(w->sent, before);
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
        cmocka_unit_test(news_are_told_once_an_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
