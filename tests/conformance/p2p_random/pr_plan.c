// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Generation: communicators, phases, and the steps of a rank in their order.
#include "pr.h"

static void plan_comm(struct pr_comm *c, struct rnd_rng *rng)
{
    c->kind = c->index == 0 ? PR_WORLD : (enum pr_comm_kind)rnd_between(rng, PR_DUP, PR_CREATE);
    c->size = rnd_ranks;
    for (int i = 0; i < rnd_ranks; i++)
        c->members[i] = i;
    if (c->kind >= PR_PERMUTED)
        for (int i = rnd_ranks - 1; i > 0; i--) {
            int j = rnd_pick(rng, i + 1), was = c->members[i];
            c->members[i] = c->members[j];
            c->members[j] = was;
        }
    if (c->kind >= PR_SPLIT)
        c->size = rnd_between(rng, 1, rnd_ranks);
    c->me = -1;
    for (int i = 0; i < c->size; i++)
        if (c->members[i] == rnd_rank)
            c->me = i;
}

static void plan_phase(struct pr_program *p, int number, struct rnd_rng *rng)
{
    struct pr_phase *phase = &p->phases[number];
    unsigned targets[PR_MAX_COMMS] = {0}; // who has a pool of its own, by communicator
    phase->id = p->nids++;
    phase->npools = rnd_between(rng, 1, PR_MAX_POOLS);
    bool threaded = rnd_has(RND_F_THREADS) && rnd_opts.threads && rnd_chance(rng, 25);
    phase->nthreads = threaded ? rnd_between(rng, 2, PR_MAX_THREADS) : 1;
    phase->barrier = rnd_chance(rng, 40);
    if (!threaded && rnd_has(PR_F_COMM_FREE) && rnd_chance(rng, 15))
        phase->passing = &p->comms[rnd_pick(rng, p->ncomms)];
    for (int i = 0; i < phase->npools; i++) {
        struct pr_pool *pool = &phase->pools[i];
        pool->id = p->nids++;
        pool->index = number * PR_MAX_POOLS + i;
        pool->thread = rnd_pick(rng, phase->nthreads);
        pr_plan_pool(p, phase, pool, rng, targets);
    }
}

/** The program of a seed, the same on each rank. */
struct pr_program *pr_plan(uint64_t seed)
{
    struct rnd_rng rng = {seed * 0x2545f4914f6cdd1du + 7};
    struct pr_program *p = rnd_alloc(sizeof *p);
    p->seed = seed;
    p->ncomms = rnd_has(PR_F_COMMS) ? rnd_between(&rng, 1, PR_MAX_COMMS) : 1;
    for (int i = 0; i < p->ncomms; i++) {
        p->comms[i].index = i;
        plan_comm(&p->comms[i], &rng);
    }
    p->nphases = rnd_between(&rng, 1, rnd_opts.phases);
    p->phases = rnd_alloc(sizeof *p->phases * (size_t)p->nphases);
    for (int i = 0; i < p->nphases; i++)
        plan_phase(p, i, &rng);
    return p;
}

/** Neither its phase nor its pool nor itself is skipped; all rounds of a slot have one id. */
bool pr_pool_has(const struct pr_pool *pool, const struct pr_pair *pair)
{
    return !rnd_skipped(pool->id) && !rnd_skipped(pair->id);
}

struct builder {
    struct pr_step *steps;
    int n;
};

static void add(struct builder *b, enum pr_step_kind kind, struct pr_pool *pool,
                struct pr_pair *pair, double time)
{
    b->steps[b->n] = (struct pr_step){time, b->n, kind, pool, pair, 0};
    b->n++;
}

static void add_rounds(struct builder *b, struct pr_pool *pool)
{
    struct rnd_rng rng = {(uint64_t)pool->seed * 31 + (uint64_t)rnd_rank};
    add(b, PR_S_INIT, pool, NULL, 0);
    for (int r = 0; r < pool->nrounds; r++) {
        add(b, PR_S_START, pool, NULL, (r + pr_between(&rng, 0, 0.5)) / pool->nrounds);
        b->steps[b->n - 1].round = r;
        add(b, PR_S_ROUND, pool, NULL, (r + pr_between(&rng, 0.6, 0.9)) / pool->nrounds);
        b->steps[b->n - 1].round = r;
    }
}

static void add_pairs(struct builder *b, struct pr_pool *pool)
{
    const int me = pool->comm->me;
    for (int i = 0; i < pool->npairs; i++) {
        struct pr_pair *pair = &pool->pairs[i];
        if (!pr_pool_has(pool, pair))
            continue;
        if (pool->kind == PR_RING && pair->m.from == me)
            add(b, PR_S_BOTH, pool, pair, pair->m.time);
        else if (pool->kind != PR_RING && pair->m.from == me)
            add(b, PR_S_SEND, pool, pair, pair->m.time);
        if (pool->kind != PR_RING && pair->m.to == me)
            add(b, PR_S_RECV, pool, pair, pair->r.time);
    }
}

static void add_pool(struct builder *b, struct pr_pool *pool)
{
    const bool mine = pool->to == pool->comm->me;
    if (pool->comm->me < 0 || rnd_skipped(pool->id))
        return;
    if (pool->kind == PR_PERSISTENT)
        add_rounds(b, pool);
    else if (pool->kind < PR_CANCEL)
        add_pairs(b, pool);
    else if (pool->kind == PR_CANCEL && mine)
        add(b, PR_S_CANCEL, pool, NULL, pool->time);
    else if (pool->kind == PR_NATIVE || pool->kind == PR_COLLECTIVE ||
             (pool->kind > PR_CANCEL && mine))
        add(b, PR_S_EXTRA, pool, NULL, pool->time);
    if (pool->ready)
        add(b, PR_S_BARRIER, pool, NULL, pool->time);
}

static int earlier(const void *a, const void *b)
{
    const struct pr_step *x = a, *y = b;
    return x->time < y->time   ? -1
           : x->time > y->time ? 1
                               : (x->order > y->order) - (x->order < y->order);
}

/** The steps of this rank in a thread, in order. @return how many */
int pr_steps(struct pr_phase *phase, int thread, struct pr_step *steps)
{
    struct builder b = {steps, 0};
    for (int i = 0; i < phase->npools; i++)
        if (phase->pools[i].thread == thread)
            add_pool(&b, &phase->pools[i]);
    qsort(steps, (size_t)b.n, sizeof *steps, earlier);
    return b.n;
}
