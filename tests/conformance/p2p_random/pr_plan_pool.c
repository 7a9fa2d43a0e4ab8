// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Generation of a pool: its messages, and receives that take all of them whoever comes first. Each receive is
// made from a message by wildcards. Where the source may be one, those that take more are posted later: then
// each has a message left. Where it may not, the serial model tells who gets what (pr_expect.c).
#include "pr.h"

enum { MAX_PAIRS = 8, TAGS = 3, MAX_ROUNDS = 4, BUFFERED_BYTES = 70000 };

static const int thresholds[] = {0,     1,     7,     16,     64,     255,    256,   257,   600,
                                 3903,  3904,  3905,  6000,   16383,  16384,  16385, 40000, 65536,
                                 65537, 90000, 98304, 262143, 262144, 262145, 300000};
enum { N_THRESHOLDS = sizeof thresholds / sizeof *thresholds, N_SMALL = 13, N_MEDIUM = 21 };

/** From low to high, as fine as moments need. */
double pr_between(struct rnd_rng *rng, double low, double high)
{
    return low + (high - low) * (double)(rnd_next(rng) >> 11) / (double)(UINT64_C(1) << 53);
}

static int plan_bytes(struct rnd_rng *rng)
{
    int how = rnd_pick(rng, 100);
    if (how < 3 && rnd_has(PR_F_LARGE))
        return rnd_between(rng, 1 << 20, 3 << 20);
    if (how < 15 && rnd_has(PR_F_LARGE))
        return thresholds[rnd_between(rng, N_MEDIUM, N_THRESHOLDS - 1)];
    return how < 40 ? rnd_between(rng, 1, 40)
                    : thresholds[rnd_pick(rng, how < 75 ? N_SMALL : N_MEDIUM)];
}

static void plan_side(struct rnd_rng *rng, struct rnd_side *side, int n, int extent)
{
    bool plain = rnd_chance(rng, 45);
    rnd_side_random(rng, side, n, extent, plain ? 0 : (MPI_Aint)n * extent * 4 + 4096);
}

static enum pr_mode plan_mode(const struct pr_pool *pool, struct rnd_rng *rng, int bytes)
{
    enum pr_mode mode = (enum pr_mode)rnd_pick(rng, PR_MODES);
    if (rnd_chance(rng, 40) || (mode == PR_SYNC && !rnd_has(PR_F_SYNC)))
        return PR_STANDARD;
    if (mode == PR_BUFFERED && (!rnd_has(PR_F_BUFFERED) || bytes > BUFFERED_BYTES))
        return PR_STANDARD;
    return mode == PR_READY && !pool->ready ? PR_STANDARD : mode;
}

/** Whether a send may wait for its receive. */
static bool may_block(const struct pr_pool *pool)
{
    return pool->order == PR_RECEIVES_FIRST || pool->order == PR_TOGETHER;
}

static void plan_message(struct pr_pool *pool, struct pr_pair *pair, struct rnd_rng *rng, int from)
{
    struct pr_message *m = &pair->m;
    int bytes = plan_bytes(rng);
    m->from = from;
    m->to = pool->to;
    m->tag = pool->tag + rnd_pick(rng, TAGS);
    m->n = bytes / pool->extent;
    plan_side(rng, &m->side, m->n, pool->extent);
    m->mode = plan_mode(pool, rng, bytes);
    m->count_c = rnd_has(RND_F_COUNT_C) && rnd_chance(rng, 15);
    m->blocking = pool->order == PR_TOGETHER ||
                  (rnd_chance(rng, 50) && (may_block(pool) || m->mode == PR_BUFFERED));
    m->freed = !m->blocking && rnd_has(PR_F_FREE) && rnd_chance(rng, 10);
}

static bool alike(const struct pr_message *a, const struct pr_message *b)
{
    return a->from == b->from && a->tag == b->tag;
}

/** Two empty messages that look alike could not be told apart. */
static void make_distinct(struct pr_pool *pool, struct rnd_rng *rng, bool any)
{
    for (int i = 0; i < pool->npairs; i++) {
        struct pr_message *m = &pool->pairs[i].m;
        for (int j = 0; j < i && m->n == 0; j++) {
            const struct pr_message *other = &pool->pairs[j].m;
            if (any || (other->n == 0 && alike(other, m)))
                m->n = 1;
        }
        m->n = any && m->n == 0 ? 1 : m->n;
        if (m->n == 1)
            plan_side(rng, &m->side, 1, pool->extent);
    }
}

static bool waits(enum pr_way way)
{
    return way != PR_NONBLOCKING;
}

static enum pr_way plan_way(const struct pr_pool *pool, struct rnd_rng *rng)
{
    enum pr_way way = (enum pr_way)rnd_pick(rng, PR_WAYS);
    bool probe = way == PR_PROBE || way == PR_IPROBE,
         matched = way == PR_MPROBE || way == PR_IMPROBE;
    if ((probe && !rnd_has(PR_F_PROBE)) || (matched && !rnd_has(PR_F_MPROBE)))
        way = PR_BLOCKING;
    if (pool->order == PR_TOGETHER)
        return waits(way) ? way : PR_BLOCKING;
    return pool->order == PR_SENDS_FIRST ? way : PR_NONBLOCKING;
}

static void plan_receive(struct pr_pool *pool, struct pr_pair *pair, struct rnd_rng *rng, int most)
{
    struct pr_receive *r = &pair->r;
    bool sized = pool->kind == PR_EXACT, freeable = pool->kind == PR_EXACT;
    r->source = pair->m.from;
    r->tag = pair->m.tag;
    r->n = sized && rnd_chance(rng, 70) ? pair->m.n : most;
    if (sized && pair->m.n > 1 && rnd_has(PR_F_TRUNCATE) && rnd_chance(rng, 4))
        r->n = pair->m.n / 2;
    plan_side(rng, &r->side, r->n, pool->extent);
    r->way = plan_way(pool, rng);
    r->count_c = rnd_has(RND_F_COUNT_C) && rnd_chance(rng, 15);
    r->nonblocking = rnd_chance(rng, 50);
    r->freed = freeable && r->way == PR_NONBLOCKING && r->n >= pair->m.n && rnd_has(PR_F_FREE) &&
               rnd_chance(rng, 8);
}

/** The later of two receives takes all that the earlier one takes, or nothing that it takes. */
static void plan_wildcards(struct pr_pool *pool, int *place, struct rnd_rng *rng)
{
    bool by_source = pool->kind == PR_ANY && rnd_chance(rng, 50);
    int i = 0, exact = rnd_pick(rng, pool->npairs + 1),
        half = rnd_between(rng, exact, pool->npairs);
    if (pool->kind == PR_SOURCES)
        half = pool->npairs;
    for (; i < pool->npairs; i++) {
        struct pr_receive *r = &pool->pairs[place[i]].r;
        if (pool->kind == PR_TAGS && rnd_chance(rng, 50))
            r->tag = MPI_ANY_TAG;
        if (pool->kind == PR_TAGS || i < exact)
            continue;
        if (i >= half || !by_source)
            r->source = MPI_ANY_SOURCE;
        if (i >= half || by_source)
            r->tag = MPI_ANY_TAG;
    }
}

/** Moments of messages in the order of pairs, of receives in another order, each from low to high. */
static void plan_times(struct pr_pool *pool, const int *place, struct rnd_rng *rng)
{
    static const double from[PR_ORDERS][4] = {
        {0, 1, 0, 1}, {0.6, 1, 0, 0.4}, {0, 0.4, 0.6, 1}, {0, 1, 0, 1}};
    const double *w = from[pool->order];
    const int n = pool->npairs;
    for (int i = 0; i < n; i++) {
        struct pr_message *m = &pool->pairs[i].m;
        m->time = w[0] + (w[1] - w[0]) * (i + pr_between(rng, 0, 1)) / n;
        pool->pairs[place[i]].r.time = w[2] + (w[3] - w[2]) * (i + pr_between(rng, 0, 1)) / n;
        if (pool->order == PR_TOGETHER)
            pool->pairs[i].r.time = m->time;
    }
}

/** In which order receives are posted: exact ones that a message could mix up in that of the messages. */
static void plan_places(const struct pr_pool *pool, int *place, struct rnd_rng *rng)
{
    for (int i = 0; i < pool->npairs; i++)
        place[i] = i;
    for (int i = pool->npairs - 1; i > 0 && pool->order != PR_TOGETHER; i--) {
        int j = rnd_pick(rng, i + 1), was = place[i];
        place[i] = place[j];
        place[j] = was;
    }
    for (int i = 0; i < pool->npairs && pool->kind == PR_EXACT; i++)
        for (int j = i + 1; j < pool->npairs; j++)
            if (place[j] < place[i] && alike(&pool->pairs[place[i]].m, &pool->pairs[place[j]].m)) {
                int was = place[i];
                place[i] = place[j];
                place[j] = was;
            }
}

/** Numbers in the order of sending. */
static void number(struct pr_pool *pool)
{
    for (int i = 0; i < pool->npairs; i++) {
        struct pr_message *m = &pool->pairs[i].m;
        m->number = pool->comm->numbers[m->from][m->to]++;
    }
}

static void plan_pairs(struct pr_program *p, struct pr_pool *pool, struct rnd_rng *rng)
{
    int place[MAX_PAIRS], most = 0, senders[RND_MAX_RANKS], n = 0;
    for (int r = 0; r < pool->comm->size; r++)
        if (rnd_chance(rng, 60) && (r != pool->to || pool->order != PR_TOGETHER))
            senders[n++] = r;
    pool->npairs = n ? rnd_between(rng, 1, MAX_PAIRS) : 0;
    pool->pairs = rnd_alloc(sizeof *pool->pairs * MAX_PAIRS);
    for (int i = 0; i < pool->npairs; i++) {
        pool->pairs[i].id = p->nids++;
        pool->pairs[i].pool = pool;
        plan_message(pool, &pool->pairs[i], rng, senders[rnd_pick(rng, n)]);
    }
    make_distinct(pool, rng, false);
    for (int i = 0; i < pool->npairs; i++)
        most = pool->pairs[i].m.n > most ? pool->pairs[i].m.n : most;
    for (int i = 0; i < pool->npairs; i++)
        plan_receive(pool, &pool->pairs[i], rng, most);
    plan_places(pool, place, rng);
    if (pool->kind != PR_EXACT)
        plan_wildcards(pool, place, rng);
    plan_times(pool, place, rng);
    number(pool);
    pr_expect(pool);
}

/** The same messages in each round, of other numbers. */
static void plan_rounds(struct pr_program *p, struct pr_pool *pool, struct rnd_rng *rng)
{
    pool->nrounds = rnd_between(rng, 2, MAX_ROUNDS);
    pool->nslots = rnd_between(rng, 1, 4);
    pool->npairs = pool->nslots;
    pool->pairs = rnd_alloc(sizeof *pool->pairs * (size_t)(pool->nslots * pool->nrounds));
    for (int i = 0; i < pool->nslots; i++) {
        pool->pairs[i].id = p->nids++;
        pool->pairs[i].pool = pool;
        plan_message(pool, &pool->pairs[i], rng, rnd_pick(rng, pool->comm->size));
        pool->pairs[i].m.tag = pool->tag + i; // slots are not to be mixed up
    }
    make_distinct(pool, rng, true);
    for (int i = 0; i < pool->nslots; i++)
        plan_receive(pool, &pool->pairs[i], rng, pool->pairs[i].m.n);
    for (int i = pool->nslots; i < pool->nslots * pool->nrounds; i++) {
        pool->pairs[i] = pool->pairs[i % pool->nslots];
        pool->pairs[i].round = i / pool->nslots;
    }
    pool->npairs *= pool->nrounds;
    number(pool);
    for (int i = 0; i < pool->npairs; i++)
        pool->pairs[i].r.expected = &pool->pairs[i];
}

static void plan_ring(struct pr_pool *pool, struct rnd_rng *rng)
{
    const int n = pool->comm->size;
    struct rnd_side side;
    pool->ring = (enum pr_ring)rnd_pick(rng, rnd_has(PR_F_ISENDRECV) ? PR_RINGS : PR_ISENDRECV);
    bool replace = pool->ring == PR_REPLACE || pool->ring == PR_IREPLACE,
         wild = rnd_has(PR_F_WILD_SOURCE) && rnd_chance(rng, 30);
    int all = plan_bytes(rng) / pool->extent, shift = rnd_pick(rng, n), to[RND_MAX_RANKS];
    plan_side(rng, &side, all, pool->extent);
    pool->npairs = n;
    pool->pairs = rnd_alloc(sizeof *pool->pairs * (size_t)n);
    for (int i = 0; i < n; i++)
        to[i] = (i + shift) % n;
    for (int i = 0; i < n; i++) {
        struct pr_pair *pair = &pool->pairs[i];
        pair->id = pool->id;
        pair->pool = pool;
        plan_message(pool, pair, rng, i);
        pair->m.to = to[i];
        pair->m.tag = pool->tag;
        pair->m.time = pool->time;
        plan_receive(pool, pair, rng, pair->m.n);
        pair->r.source = wild ? MPI_ANY_SOURCE : i;
        if (replace) {
            pair->m.n = pair->r.n = all;
            pair->m.side = pair->r.side = side;
        }
        pair->r.expected = pair;
    }
    number(pool);
}

static enum pr_pool_kind plan_kind(const struct pr_phase *phase, struct rnd_rng *rng)
{
    static const struct {
        int weight, feature;
    } kinds[PR_POOL_KINDS] = {
        [PR_EXACT] = {25, 0},
        [PR_TAGS] = {10, PR_F_WILD_TAG},
        [PR_SOURCES] = {15, PR_F_WILD_SOURCE},
        [PR_ANY] = {10, PR_F_WILD_SOURCE},
        [PR_PERSISTENT] = {8, PR_F_PERSISTENT},
        [PR_RING] = {9, PR_F_SENDRECV},
        [PR_CANCEL] = {4, PR_F_CANCEL},
        [PR_NOBODY] = {4, PR_F_NOBODY},
        [PR_NATIVE] = {5, PR_F_NATIVE},
        [PR_COLLECTIVE] = {2, 0},
        [PR_RMA] = {3, PR_F_RMA},
        [PR_SLEEP] = {3, 0},
        [PR_POKE] = {4, 0},
    };
    int left = rnd_pick(rng, 102);
    int kind = PR_EXACT;
    for (int i = 0; i < PR_POOL_KINDS; i++) {
        if (left >= 0 && left < kinds[i].weight)
            kind = i;
        left -= kinds[i].weight;
    }
    bool together = kind == PR_NATIVE || kind == PR_COLLECTIVE || kind == PR_RMA; // not by threads
    if ((kinds[kind].feature && !rnd_has(kinds[kind].feature)) || (together && phase->nthreads > 1))
        kind = PR_EXACT;
    return kind == PR_ANY && !rnd_has(PR_F_WILD_TAG) ? PR_SOURCES : (enum pr_pool_kind)kind;
}

/** Receives of any tag must not meet messages of another pool: one pool alone for this receiver. */
static void settle_kind(const struct pr_phase *phase, struct pr_pool *pool, unsigned *targets)
{
    unsigned all = (1u << pool->comm->size) - 1,
             mine = pool->kind == PR_RING ? all : 1u << pool->to;
    unsigned *wild = &targets[pool->comm->index], used = 0;
    for (const struct pr_pool *other = phase->pools; other < pool; other++)
        if (other->comm == pool->comm && other->kind < PR_CANCEL)
            used |= other->kind == PR_RING ? all : 1u << other->to;
    if (mine & *wild)
        pool->kind = PR_SLEEP;
    else if ((pool->kind == PR_TAGS || pool->kind == PR_ANY) && mine & used)
        pool->kind = PR_EXACT;
    else if (pool->kind == PR_TAGS || pool->kind == PR_ANY)
        *wild |= mine;
}

void pr_plan_pool(struct pr_program *p, struct pr_phase *phase, struct pr_pool *pool,
                  struct rnd_rng *rng, unsigned *targets)
{
    static const int extents[] = {1, 1, 1, 2, 4, 8};
    pool->kind = plan_kind(phase, rng);
    pool->comm = pool->kind == PR_RMA ? &p->comms[0] : &p->comms[rnd_pick(rng, p->ncomms)];
    pool->to = rnd_pick(rng, pool->comm->size);
    settle_kind(phase, pool, targets);
    pool->tag = pool->index * 4 + (rnd_chance(rng, 10) ? 30000 : 0);
    pool->seed = rnd_pick(rng, 1 << 20);
    pool->extent = extents[rnd_pick(rng, 6)];
    pool->time = pr_between(rng, 0, 1);
    if (pool->kind == PR_TAGS || pool->kind == PR_ANY)
        phase->barrier = true;
    if (pool->kind < PR_PERSISTENT)
        pool->order =
            (enum pr_order)rnd_pick(rng, pool->kind == PR_EXACT ? PR_ORDERS : PR_TOGETHER);
    pool->ready = pool->kind < PR_PERSISTENT && pool->order == PR_RECEIVES_FIRST &&
                  phase->nthreads == 1 && rnd_has(PR_F_READY) && rnd_chance(rng, 40);
    pool->time = pool->ready ? 0.5 : pool->time;
    if (pool->kind < PR_PERSISTENT)
        plan_pairs(p, pool, rng);
    else if (pool->kind == PR_PERSISTENT)
        plan_rounds(p, pool, rng);
    else if (pool->kind == PR_RING)
        plan_ring(pool, rng);
}
