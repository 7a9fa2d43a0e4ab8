// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Generation: which windows live when, and which rounds a phase consists of.
#include "rr.h"

static bool style_fits(const struct rr_win *win, enum rr_style style, bool alone)
{
    static const enum rr_feature needs[] = {RR_F_FENCE,    RR_F_PSCW,  RR_F_LOCK,
                                            RR_F_LOCK_ALL, RR_F_STORE, RR_F_REATTACH};
    bool active = style == RR_FENCE || style == RR_PSCW;
    if (!rnd_has(needs[style]) || (win->no_locks && !active))
        return false;
    if (style == RR_REATTACH)
        return win->kind == RR_W_DYNAMIC && alone;
    return style != RR_STORES || alone;
}

static void plan_edges(struct rr_round *round, struct rnd_rng *rng)
{
    int percent = rnd_between(rng, 20, 100);
    for (int o = 0; o < round->win->size; o++)
        for (int t = 0; t < round->win->size; t++)
            if (rnd_chance(rng, percent))
                round->edges[o] |= 1u << t;
}

/** `alone`: no other round at the same time; `apart`: or one in another thread. */
static void plan_round(struct rr_program *p, struct rr_round *round, struct rnd_rng *rng,
                       bool alone, bool apart)
{
    struct rr_win *win = round->win;
    enum rr_style style = RR_FENCE;
    rnd_kind = win->kind;
    for (int i = 0; i < 30; i++) {
        style = (enum rr_style)rnd_pick(rng, RR_STYLES);
        if (style_fits(win, style, alone))
            break;
    }
    if (!style_fits(win, style, alone)) {
        round->win = NULL;
        return;
    }
    round->id = p->nids++;
    round->style = style;
    round->chained = rnd_chance(rng, 40);
    round->asserts = rnd_has(RR_F_ASSERTS) && rnd_chance(rng, 50);
    round->nocheck = round->asserts && rnd_chance(rng, 30);
    round->use_test = rnd_chance(rng, 30);
    round->empty_groups = rnd_has(RR_F_EMPTY_GROUP) && rnd_chance(rng, 30);
    round->hold = rnd_chance(rng, 40);
    round->no_exclusive = style == RR_LOCK && !(alone || apart); // others may hold what we wait for
    if (style != RR_PSCW && !rnd_has(RR_F_LOCK_NOCHECK))
        round->nocheck = false;
    plan_edges(round, rng);
    rr_plan_acts(p, round, rng);
}

static void plan_phase(struct rr_program *p, int number, struct rnd_rng *rng)
{
    struct rr_phase *phase = &p->phases[number];
    struct rr_win *alive[RR_MAX_WINS];
    int n = 0;
    for (int i = 0; i < p->nwins; i++)
        if (p->wins[i].born <= number && number <= p->wins[i].dies)
            alive[n++] = &p->wins[i];
    int first = rnd_pick(rng, n), second = rnd_pick(rng, n);
    bool two = rnd_has(RR_F_OVERLAP) && first != second && rnd_chance(rng, 50);
    phase->threaded = two && rnd_has(RND_F_THREADS) && rnd_chance(rng, 50);
    phase->rounds[0].win = alive[first];
    phase->rounds[1].win = two ? alive[second] : NULL;
    phase->nrounds = two ? 2 : 1;
    for (int i = 0; i < phase->nrounds; i++)
        plan_round(p, &phase->rounds[i], rng, !two, phase->threaded);
}

static void plan_life(struct rr_program *p, struct rr_win *win, struct rnd_rng *rng)
{
    win->dies = p->nphases - 1;
    if (win->index > 0) {
        win->born = rnd_pick(rng, p->nphases);
        win->dies = rnd_between(rng, win->born, p->nphases - 1);
    }
}

static const char *plan_config(struct rnd_rng *rng)
{
    static const char *const values[] = {"on", "off", "auto"};
    return values[rnd_pick(rng, 3)];
}

/** When redirection changes; what the program does is the same without. */
static void plan_switches(struct rr_program *p, struct rnd_rng *rng)
{
    for (int i = 0; i < p->nwins; i++)
        if (rnd_has(RR_F_SWITCH) && rnd_chance(rng, 30))
            p->wins[i].config = plan_config(rng);
    for (int i = 0; i < p->nphases; i++)
        for (int r = 0; r < p->phases[i].nrounds; r++) {
            struct rr_round *round = &p->phases[i].rounds[r];
            if (!rnd_has(RR_F_SWITCH) || !round->win || !rnd_chance(rng, 30))
                continue;
            round->config = plan_config(rng);
            round->at_once = round->style != RR_FENCE || rnd_chance(rng, 50);
        }
}

/** The program of a seed for this many ranks on these nodes, the same on each rank. */
struct rr_program *rr_plan(uint64_t seed, int ranks, const int *nodes, int me)
{
    struct rnd_rng rng = {seed * 0x2545f4914f6cdd1du + 1};
    struct rr_program *p = rnd_alloc(sizeof *p);
    p->seed = seed;
    p->ranks = ranks;
    p->nwins = rnd_between(&rng, 1, RR_MAX_WINS);
    p->nphases = rnd_between(&rng, 2, rnd_opts.phases);
    p->phases = rnd_alloc(sizeof *p->phases * (size_t)p->nphases);
    for (int i = 0; i < p->nwins; i++) {
        p->wins[i].index = i;
        plan_life(p, &p->wins[i], &rng);
        rr_plan_win(p, &p->wins[i], &rng, nodes);
        p->wins[i].me = -1;
        for (int r = 0; r < p->wins[i].size; r++)
            if (p->wins[i].members[r] == me)
                p->wins[i].me = r;
    }
    for (int i = 0; i < p->nphases; i++)
        plan_phase(p, i, &rng);
    plan_switches(p, &rng);
    return p;
}
