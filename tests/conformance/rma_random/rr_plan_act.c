// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Generation of the actions of a round: operations that race with none before them, and flushes.
#include "rr.h"

enum { MAX_ACTS = 24, TRIES = 6 };

/** What is only needed while a round is generated. */
struct plan {
    struct rr_program *program;
    struct rr_round *round;
    struct rnd_rng *rng;
    int stamps[RR_MAX_RANKS * RR_MAX_RANKS]; // [origin][target]: completed up to this act
    int current[RR_MAX_RANKS];               // session of each origin
    enum rr_op favourite;                    // most accumulates of a round have the same
};

static bool passive(const struct rr_round *round)
{
    return round->style == RR_LOCK || round->style == RR_LOCK_ALL;
}

static void completed(struct plan *p, int origin, int target, int stamp)
{
    p->stamps[origin * RR_MAX_RANKS + target] = stamp;
}

static int new_session(struct plan *p, int origin, int target)
{
    struct rr_round *r = p->round;
    struct rr_session *s = &r->sessions[r->nsessions];
    s->origin = origin;
    s->target = target;
    bool may = !r->nocheck && !r->no_exclusive && rnd_has(RR_F_EXCLUSIVE);
    s->exclusive = rnd_chance(p->rng, 40) && may;
    s->nocheck = r->nocheck;
    return r->nsessions++;
}

/** All locks of a round that holds them from its begin to its end. */
static void plan_sessions(struct plan *p)
{
    int n = p->round->win->size;
    p->round->sessions = rnd_alloc(sizeof(struct rr_session) * (size_t)(n * n + MAX_ACTS));
    for (int o = 0; o < n; o++)
        for (int t = 0; t < n; t++)
            if (p->round->style == RR_LOCK && p->round->hold && rnd_chance(p->rng, 60))
                p->current[o] = new_session(p, o, t);
}

/** The target of the next operation of a locking origin, and its session; -1: it has no lock. */
static int pick_locked(struct plan *p, struct rr_act *act)
{
    struct rr_round *r = p->round;
    int mine[RR_MAX_RANKS], n = 0, o = act->origin, *current = &p->current[o];
    if (r->hold) {
        for (int i = 0; i < r->nsessions; i++)
            if (r->sessions[i].origin == o)
                mine[n++] = i;
        act->session = n ? mine[rnd_pick(p->rng, n)] : -1;
    } else {
        if (*current < 0 || rnd_chance(p->rng, 35)) {
            if (*current >= 0)
                completed(p, o, r->sessions[*current].target, act->id);
            *current = new_session(p, o, rnd_pick(p->rng, r->win->size));
        }
        act->session = *current;
    }
    return act->session < 0 ? -1 : r->sessions[act->session].target;
}

/** Sets origin, target and session. @return false if the origin may access nobody */
static bool pick_ranks(struct plan *p, struct rr_act *act)
{
    struct rr_round *r = p->round;
    int n = r->win->size, start;
    act->origin = rnd_pick(p->rng, n);
    act->target = rnd_pick(p->rng, n);
    act->session = -1;
    start = act->target;
    if (r->style == RR_LOCK)
        act->target = pick_locked(p, act);
    else if (r->style == RR_STORES && r->win->kind != RR_W_SHARED)
        act->target = act->origin;
    else if (r->style == RR_PSCW)
        while (!(r->edges[act->origin] >> act->target & 1)) {
            act->target = (act->target + 1) % n;
            if (act->target == start)
                return false;
        }
    return act->target >= 0;
}

/** A flush of one kind or the wait for requests. */
static void plan_sync(struct plan *p, struct rr_act *act)
{
    int n = p->round->win->size;
    act->kind = (enum rr_act_kind)rnd_between(p->rng, RR_K_FLUSH, RR_K_WAIT);
    if (act->kind == RR_K_WAIT && !rnd_has(RR_F_REQUEST))
        act->kind = RR_K_FLUSH;
    for (int t = 0; t < n; t++)
        if (act->kind == RR_K_FLUSH_ALL || (act->kind == RR_K_FLUSH && t == act->target))
            completed(p, act->origin, t, act->id);
}

static enum rr_act_kind pick_kind(struct plan *p)
{
    enum rr_act_kind kinds[6];
    int n = 0;
    if (p->round->style == RR_STORES)
        return rnd_chance(p->rng, 70) ? RR_K_STORE : RR_K_LOAD;
    for (int i = 0; i < 6; i++)
        if (rnd_has(RR_F_PUT + i))
            kinds[n++] = (enum rr_act_kind)(RR_K_PUT + i);
    return n ? kinds[rnd_pick(p->rng, n)] : RR_K_NONE;
}

static bool op_fits(const struct rr_class *class, enum rr_op op, enum rr_act_kind kind)
{
    bool logical = op >= RR_LAND && op <= RR_LXOR, bitwise = op >= RR_BAND && op <= RR_BXOR;
    if ((logical && !rnd_has(RR_F_LOGICAL)) || (bitwise && !rnd_has(RR_F_BITWISE)))
        return false;
    return op == RR_REPLACE || (op == RR_NO_OP && kind != RR_K_ACC) || class->ops >> op & 1;
}

static void pick_op(struct plan *p, struct rr_act *act)
{
    const struct rr_class *class = act->basic->class;
    if (act->kind == RR_K_CAS) {
        act->op = RR_CAS_OP;
        return;
    }
    act->op = RR_REPLACE;
    if (act->kind != RR_K_ACC && act->kind != RR_K_GET_ACC && act->kind != RR_K_FOP)
        return;
    if (op_fits(class, p->favourite, act->kind) && rnd_chance(p->rng, 75)) {
        act->op = p->favourite;
        return;
    }
    do
        act->op = (enum rr_op)rnd_pick(p->rng, RR_CAS_OP);
    while (!op_fits(class, act->op, act->kind));
}

static int pick_elements(struct plan *p, const struct rr_act *act, int most)
{
    int how = rnd_pick(p->rng, 100);
    if (act->kind == RR_K_FOP || act->kind == RR_K_CAS)
        return 1;
    if (how < 5 && rnd_has(RR_F_ZERO))
        return 0;
    if (how < 20)
        return 1;
    return rnd_between(p->rng, 1, how < 60 && most > 8 ? 8 : most);
}

static bool single(const struct rr_act *act)
{
    return act->kind == RR_K_FOP || act->kind == RR_K_CAS || act->kind == RR_K_STORE ||
           act->kind == RR_K_LOAD;
}

static void plain_side(struct rnd_side *side, MPI_Aint extent, int n)
{
    struct rnd_rng unused = {1};
    rnd_side_random(&unused, side, 0, extent, 0); // for the shape of one element
    if (n != 1)
        abort();
    side->shape = rnd_shape_random(&unused, 1, extent, 0);
    side->count = side->n = 1;
    side->at[0] = 0;
    side->lo = 0;
    side->hi = extent;
}

static void plan_sides(struct plan *p, struct rr_act *act, int n, MPI_Aint space)
{
    MPI_Aint extent = act->basic->class->extent, wide = 8 * n * extent + 1024;
    if (act->kind == RR_K_FOP || act->kind == RR_K_CAS) {
        plain_side(&act->from, extent, n);
        plain_side(&act->to, extent, n);
        plain_side(&act->target_side, extent, n);
        return;
    }
    rnd_side_random(p->rng, &act->target_side, n, extent, space);
    rnd_side_random(p->rng, &act->from, n, extent, wide);
    rnd_side_random(p->rng, &act->to, n, extent, wide);
}

/** Where the target side lies: a displacement, and for what it cannot express a shift. */
static bool plan_place(struct plan *p, struct rr_act *act)
{
    const struct rr_part *part = &p->round->win->parts[act->target];
    MPI_Aint extent = act->basic->class->extent;
    struct rnd_side *side = &act->target_side;
    int room = act->zone->n - (int)((side->hi - side->lo) / extent);
    act->start = act->zone->at + rnd_pick(p->rng, room + 1) * extent - side->lo;
    bool dynamic = p->round->win->kind == RR_W_DYNAMIC,
         free = rnd_has(RND_F_DERIVED) && !single(act);
    bool aligned = act->start >= 0 && act->start % part->unit == 0;
    if (dynamic) { // the address is added when it is known
        side->shifted = free && rnd_chance(p->rng, 25);
        act->absolute = side->shifted && rnd_has(RR_F_BOTTOM) && rnd_chance(p->rng, 50);
        side->shift = !side->shifted            ? 0
                      : rnd_has(RND_F_NEGATIVE) ? 8 * rnd_between(p->rng, -9, 9)
                                                : 8 * rnd_pick(p->rng, 9);
        return true;
    }
    if ((!aligned && !free) || (act->start < 0 && !rnd_has(RND_F_NEGATIVE)))
        return act->kind == RR_K_STORE || act->kind == RR_K_LOAD;
    side->shifted = free && (!aligned || rnd_chance(p->rng, 15));
    MPI_Aint low = act->start < 0 ? 0 : act->start / part->unit;
    bool anywhere = side->shifted && rnd_has(RND_F_NEGATIVE);
    act->disp = anywhere ? rnd_pick(p->rng, (int)(part->size / part->unit) + 1) : low;
    side->shift = act->start - act->disp * part->unit;
    return true;
}

static void plan_ways(struct plan *p, struct rr_act *act)
{
    bool may_wait = act->kind <= RR_K_GET_ACC && passive(p->round) && rnd_has(RR_F_REQUEST) &&
                    (act->kind != RR_K_GET || rnd_has(RR_F_RGET));
    act->value = (unsigned)rnd_next(p->rng);
    act->request = may_wait && rnd_chance(p->rng, 25);
    act->count_c = rnd_has(RND_F_COUNT_C) && act->kind <= RR_K_GET_ACC && rnd_chance(p->rng, 15);
    act->bottom = rnd_has(RR_F_BOTTOM) && !single(act) && rnd_chance(p->rng, 10);
    act->no_origin = act->op == RR_NO_OP && rnd_chance(p->rng, 60);
    act->cas_match = rnd_chance(p->rng, 60);
    act->bytes = rnd_has(RR_F_BYTES) && (act->kind == RR_K_PUT || act->kind == RR_K_GET) &&
                 rnd_chance(p->rng, 15);
    act->unsure = rnd_alloc((size_t)act->from.n + 1);
}

/** An operation that fits into the round. @return false: try another one */
static bool plan_op(struct plan *p, struct rr_act *act)
{
    struct rr_part *part = &p->round->win->parts[act->target];
    struct rr_zone *zone = &part->zones[rnd_pick(p->rng, part->nzones)];
    bool null = rnd_has(RR_F_PROC_NULL) && rnd_chance(p->rng, 3) && p->round->style != RR_STORES;
    act->kind = pick_kind(p);
    if (part->nzones == 0 || act->kind == RR_K_NONE)
        return false;
    act->zone = zone;
    act->basic = zone->basic;
    if (act->kind == RR_K_CAS && !act->basic->class->cas)
        return false;
    pick_op(p, act);
    int n = pick_elements(p, act, zone->n);
    plan_sides(p, act, n, zone->n * act->basic->class->extent);
    plan_ways(p, act);
    if (null || n == 0)
        act->zone = NULL;
    if (null)
        act->target = MPI_PROC_NULL;
    if (!act->zone)
        return true;
    if (!plan_place(p, act) || !rr_cell_take(p->round->win, act, p->stamps, false))
        return false;
    rr_cell_take(p->round->win, act, p->stamps, true);
    return true;
}

/** Marks what is fetched from elements that several updated in no known order. */
static void mark_unsure(struct rr_round *round)
{
    for (int i = 0; i < round->nacts; i++) {
        struct rr_act *act = &round->acts[i];
        for (int k = 0; act->zone && rr_act_fetches(act) && k < act->target_side.n; k++) {
            const struct rr_cell *cell = &act->zone->cells[rr_act_index(act, k)];
            act->unsure[k] = cell->many && cell->op != RR_NO_OP;
        }
    }
}

void rr_plan_acts(struct rr_program *program, struct rr_round *round, struct rnd_rng *rng)
{
    struct plan p = {.program = program, .round = round, .rng = rng};
    int wanted = rnd_between(rng, 1, MAX_ACTS);
    for (int i = 0; i < RR_MAX_RANKS; i++)
        p.current[i] = -1;
    p.favourite = (enum rr_op)rnd_pick(rng, RR_CAS_OP);
    round->acts = rnd_alloc(sizeof *round->acts * (size_t)wanted);
    plan_sessions(&p);
    rr_cells_clear(round->win);
    for (int i = 0; i < wanted && round->style != RR_REATTACH; i++) {
        struct rr_act act = {.id = program->nids};
        if (!pick_ranks(&p, &act))
            continue;
        bool sync = passive(round) && rnd_chance(rng, 20), good = sync;
        if (sync)
            plan_sync(&p, &act);
        for (int t = 0; t < TRIES && !good; t++) {
            struct rr_act tried = act;
            if ((good = plan_op(&p, &tried)))
                act = tried;
        }
        if (good) {
            round->acts[round->nacts++] = act;
            program->nids++;
        }
    }
    mark_unsure(round);
}
