// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The serial model: every rank applies the operations of all ranks, in the order of generation, to its
// own copy of every part, and compares its real part and what it fetched with it.
#include "rr.h"

static void model_element(struct rr_act *act, int i, unsigned char *at)
{
    const struct rr_class *class = act->basic->class;
    unsigned char value[64], other[64];
    rr_value(act->basic, act->op, act->value, i, value);
    if (act->kind == RR_K_CAS) {
        rr_value(act->basic, RR_REPLACE, act->value, 77, other);
        act->compare = rnd_alloc((size_t)class->extent);
        memcpy(act->compare, act->cas_match ? at : other, (size_t)class->extent);
        if (class->equal(at, act->compare))
            class->apply(RR_REPLACE, at, value);
    } else if (act->kind == RR_K_PUT || act->kind == RR_K_STORE) {
        class->apply(RR_REPLACE, at, value);
    } else if (rr_act_sends(act)) {
        class->apply(act->op, at, value);
        if (rr_wrong_sums && act->op == RR_SUM)
            class->set(at, 1, 1);
    }
}

static void model_act(struct rr_win *win, struct rr_act *act)
{
    size_t extent = act->zone ? (size_t)act->basic->class->extent : 0;
    if (!act->zone)
        return;
    if (rr_act_fetches(act))
        act->expect = rnd_alloc(extent * (size_t)act->target_side.n);
    for (int i = 0; i < act->target_side.n; i++) {
        unsigned char *at = win->parts[act->target].model + rr_act_byte(act, i);
        if (act->expect)
            memcpy(act->expect + extent * (size_t)i, at, extent);
        model_element(act, i, at);
        if (rr_act_sends(act))
            act->zone->cells[rr_act_index(act, i)].last_act = act->id;
    }
}

/** What the round does, to the model; what is fetched is kept with each action. */
void rr_model_round(struct rr_round *round)
{
    for (int i = 0; i < round->nacts; i++)
        if (!rnd_skipped(round->acts[i].id) && rr_act_moves(&round->acts[i]))
            model_act(round->win, &round->acts[i]);
}

static bool check_zone(struct rr_win *win, struct rr_zone *zone, int round_id)
{
    const struct rr_class *class = zone->basic->class;
    for (int i = 0; i < zone->n; i++) {
        MPI_Aint at = zone->at + i * class->extent;
        const unsigned char *want = win->parts[win->me].model + at, *got = rr_local(win, at);
        char want_text[64], got_text[64];
        if (class->equal(want, got))
            continue;
        class->print(want, want_text, sizeof want_text);
        class->print(got, got_text, sizeof got_text);
        rr_wrong(win, NULL,
                 "byte %ld (element %d of %s at %ld) is %s, not %s, after round %d; last written "
                 "by action %d",
                 (long)at, i, zone->basic->name, (long)zone->at, got_text, want_text, round_id,
                 zone->cells[i].last_act);
        return false;
    }
    return true;
}

static bool check_poison(const struct rr_win *win, MPI_Aint from, MPI_Aint to, int round_id)
{
    for (MPI_Aint at = from; at < to; at++)
        if (*rr_local(win, at) != CSP_TEST_POISON) {
            rr_wrong(win, NULL, "byte %ld, which nobody writes, is %d after round %d", (long)at,
                     *rr_local(win, at), round_id);
            return false;
        }
    return true;
}

/** Compares the own part with the model. */
bool rr_check_part(struct rr_win *win, int round_id)
{
    struct rr_part *part = &win->parts[win->me];
    MPI_Aint at = 0;
    for (int z = 0; z < part->nzones; z++) {
        struct rr_zone *zone = &part->zones[z];
        if (!check_poison(win, at, zone->at, round_id) || !check_zone(win, zone, round_id))
            return false;
        at = zone->at + zone->n * zone->basic->class->extent;
    }
    return check_poison(win, at, part->size, round_id);
}

/** Of the values in the own part, as text, so that gaps in types do not count. */
uint64_t rr_digest(const struct rr_win *win)
{
    const struct rr_part *part = &win->parts[win->me];
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (int z = 0; z < part->nzones; z++)
        for (int i = 0; i < part->zones[z].n; i++) {
            const struct rr_class *class = part->zones[z].basic->class;
            char text[64];
            class->print(rr_local(win, part->zones[z].at + i * class->extent), text, sizeof text);
            for (const char *c = text; *c; c++)
                hash = (hash ^ (unsigned char)*c) * 1099511628211u;
        }
    return hash;
}
