// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Leaders of up to MOST nodes exchange what changed; each message arrives at any time, in order with those from the
// same leader. And: records that do not fit are no records.
#include "unit.h"
#include "adapt/share.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 70, USERS_MOST = 2000 };

struct letter {
    struct letter *next;
    int to, round, last;
    size_t bytes;
    unsigned char text[];
};

struct world {
    int nodes;
    int users[MOST], changed[MOST];
    _Atomic uint8_t *off[MOST];
    struct csp_share *shares[MOST];
    int round[MOST], told[MOST];
    struct letter *queues[MOST]; // [from]
    uint64_t seed;
    long messages;
};

struct end {
    struct world *world;
    int node;
};

static void put(void *ctx, int to, int round, int last, const void *text, size_t bytes)
{
    const struct end *from = ctx;
    struct letter *l = malloc(sizeof(*l) + bytes), **at = &from->world->queues[from->node];
    *l = (struct letter){NULL, to, round, last, bytes};
    if (bytes)
        memcpy(l->text, text, bytes);
    while (*at)
        at = &(*at)->next;
    *at = l;
    from->world->messages++;
}

static struct world *new_world(int nodes, uint64_t seed, uint64_t change_one_in)
{
    struct world *w = calloc(1, sizeof(*w));
    w->nodes = nodes;
    w->seed = seed;
    for (int i = 0; i < nodes; i++) {
        w->users[i] = 1 + (int)(unit_random(&w->seed) % USERS_MOST);
        w->changed[i] = unit_random(&w->seed) % change_one_in == 0;
        w->off[i] = calloc((size_t)w->users[i], 1);
        for (int u = 0; u < w->users[i]; u++)
            w->off[i][u] = (uint8_t)(unit_random(&w->seed) % 2);
        w->shares[i] = csp_share_new(i, nodes);
        if (w->changed[i])
            csp_share_own(w->shares[i], w->off[i], w->users[i]);
    }
    return w;
}

struct found {
    const struct world *world;
    int seen[MOST];
};

static void compare(void *ctx, const struct csp_pack_record *r)
{
    struct found *f = ctx;
    assert_int_equal(r->users, f->world->users[r->node]);
    for (int u = 0; u < r->users; u++)
        assert_int_equal(csp_pack_bit(r, u), f->world->off[r->node][u]);
    f->seen[r->node]++;
}

static void step(struct world *w, int node)
{
    struct letter *l = w->queues[node];
    if (unit_random(&w->seed) % 2 && l) {
        w->queues[node] = l->next;
        csp_share_receive(w->shares[l->to], l->round, l->last, l->text, l->bytes);
        free(l);
        return;
    }
    if (w->round[node] == csp_rounds(w->nodes))
        return;
    if (!w->told[node])
        csp_share_tell(w->shares[node], w->round[node], put, &(struct end){w, node});
    w->told[node] = !csp_share_heard(w->shares[node], w->round[node]);
    w->round[node] += !w->told[node];
}

static int left(const struct world *w)
{
    int n = 0;
    for (int i = 0; i < w->nodes; i++)
        n += (w->queues[i] != NULL) + csp_rounds(w->nodes) - w->round[i];
    return n;
}

static void end_world(struct world *w)
{
    for (int i = 0; i < w->nodes; i++) {
        struct found f = {.world = w};
        csp_share_each(w->shares[i], compare, &f);
        for (int other = 0; other < w->nodes; other++)
            assert_int_equal(f.seen[other], other != i && w->changed[other]);
    }
    for (int i = 0; i < w->nodes; i++) {
        csp_share_free(w->shares[i]);
        free((void *)w->off[i]);
    }
    free(w);
}

static void all_hear_of_all(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct world *w = new_world(1 + (int)(seed * 3 % MOST), seed, 1 + seed % 4);
        while (left(w))
            step(w, (int)(unit_random(&w->seed) % (uint64_t)w->nodes));
        end_world(w);
    }
}

static void one_message_a_round_for_little_news(void **state)
{
    (void)state;
    struct world *w = new_world(MOST, 5, 1000000);
    while (left(w))
        step(w, (int)(unit_random(&w->seed) % MOST));
    assert_int_equal(w->messages, MOST * csp_rounds(MOST));
    end_world(w);
}

static void half_a_record_is_none(void **state)
{
    (void)state;
    static const _Atomic uint8_t off[20] = {[3] = 1, [17] = 1};
    struct csp_pack p = {.bytes = 0};
    struct csp_pack_record r;
    assert_true(csp_pack_add(&p, 7, off, 20));
    for (size_t bytes = 0; bytes < p.bytes; bytes++) {
        size_t at = 0;
        assert_false(csp_pack_next(p.at, bytes, &at, &r));
    }
    size_t at = 0;
    assert_true(csp_pack_next(p.at, p.bytes, &at, &r));
    assert_int_equal(r.node, 7);
    assert_int_equal(csp_pack_bit(&r, 17), 1);
    assert_int_equal(csp_pack_bit(&r, 16), 0);
    assert_false(csp_pack_next(p.at, p.bytes, &at, &r));
    while (csp_pack_add(&p, 8, off, 20))
        ;
    assert_in_range(p.bytes, CSP_PACK_BYTES - csp_pack_record_bytes(20) + 1, CSP_PACK_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_hear_of_all),
        cmocka_unit_test(one_message_a_round_for_little_news),
        cmocka_unit_test(half_a_record_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
