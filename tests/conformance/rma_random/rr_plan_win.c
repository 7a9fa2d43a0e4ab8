// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Generation of a window: its processes, and each one's part with zones of elements of one type.
#include "rr.h"

enum { MAX_ZONES = 4, LARGE_BYTES = 300000 };

static void plan_members(struct rr_program *p, struct rr_win *win, struct rnd_rng *rng,
                         const int *nodes)
{
    int all[RR_MAX_RANKS];
    bool some = rnd_has(RR_F_SUBCOMM) && rnd_chance(rng, 40), mixed = some && rnd_chance(rng, 50);
    for (int i = 0; i < p->ranks; i++)
        all[i] = i;
    for (int i = p->ranks - 1; mixed && i > 0; i--) {
        int j = rnd_pick(rng, i + 1), was = all[i];
        all[i] = all[j];
        all[j] = was;
    }
    for (int i = 0; i < p->ranks; i++) {
        bool fits = win->kind != RR_W_SHARED || nodes[all[i]] == nodes[all[0]];
        if (fits && (i == 0 || !some || rnd_chance(rng, 60)))
            win->members[win->size++] = all[i];
    }
}

static void plan_kind(struct rr_win *win, struct rnd_rng *rng)
{
    int kinds[RR_WIN_KINDS], n = 0;
    for (int i = 0; i < RR_WIN_KINDS; i++)
        if (rnd_opts.feature[i][RR_F_ALLOCATE + i])
            kinds[n++] = i;
    if (n == 0)
        abort();
    win->kind = (enum rr_win_kind)kinds[rnd_pick(rng, n)];
}

static void plan_hints(struct rr_win *win, struct rnd_rng *rng)
{
    bool hints = rnd_has(RR_F_HINTS) && rnd_chance(rng, 60);
    bool passive = rnd_has(RR_F_LOCK) || rnd_has(RR_F_LOCK_ALL);
    bool active = rnd_has(RR_F_FENCE) || rnd_has(RR_F_PSCW);
    win->no_locks = hints && active && (!passive || rnd_chance(rng, 15));
    win->say_ordered = hints && rnd_chance(rng, 40);
    win->ordered = !win->say_ordered || rnd_chance(rng, 30);
    win->say_ops = hints && rnd_chance(rng, 40);
    win->same_op = win->say_ops && rnd_chance(rng, 50);
    win->same_size = hints && rnd_chance(rng, 30);
    win->same_unit = hints && rnd_chance(rng, 30);
    win->noncontig = rnd_chance(rng, 50);
}

static int plan_length(struct rnd_rng *rng, MPI_Aint extent)
{
    int how = rnd_pick(rng, 100);
    if (how < 5 && rnd_has(RR_F_LARGE))
        return rnd_between(rng, 1000, LARGE_BYTES / (int)extent);
    return how < 25 ? rnd_between(rng, 100, 600) : rnd_between(rng, 1, 40);
}

static MPI_Aint round_up(MPI_Aint n, MPI_Aint unit)
{
    return (n + unit - 1) / unit * unit;
}

static MPI_Aint plan_zone(struct rr_part *part, struct rr_zone *zone, MPI_Aint at,
                          struct rnd_rng *rng, int palette)
{
    const struct rr_basic *all;
    int n = rr_basics(&all);
    zone->basic = &all[(palette + rnd_pick(rng, 100) * rnd_pick(rng, 2)) % n];
    zone->seg = part->nsegs - 1;
    zone->n = plan_length(rng, zone->basic->class->extent);
    zone->at = round_up(at + rnd_pick(rng, 3) * rnd_pick(rng, 20), zone->basic->class->align);
    zone->cells = rnd_alloc(sizeof *zone->cells * (size_t)zone->n);
    return zone->at + zone->n * zone->basic->class->extent;
}

static void plan_part(struct rr_win *win, struct rr_part *part, struct rnd_rng *rng, int palette)
{
    static const int units[] = {1, 1, 2, 4, 8, 16, 3, 12};
    MPI_Aint at = 0;
    part->unit = win->kind == RR_W_DYNAMIC ? 1 : units[rnd_pick(rng, 8)];
    part->nzones = rnd_has(RR_F_ZERO) && rnd_chance(rng, 10) ? 0 : rnd_between(rng, 1, MAX_ZONES);
    part->zones = rnd_alloc(sizeof *part->zones * (size_t)(part->nzones + 1));
    part->nsegs = 1;
    for (int i = 0; i < part->nzones; i++) {
        if (i > 0 && win->kind == RR_W_DYNAMIC && part->nsegs < RR_MAX_SEGS &&
            rnd_chance(rng, 40)) {
            at = round_up(at + rnd_pick(rng, 30), RR_GUARD_BYTES);
            part->seg_start[part->nsegs++] = at;
        }
        at = plan_zone(part, &part->zones[i], at, rng, palette);
    }
    part->size = at + (part->nzones ? rnd_pick(rng, 20) : 0);
    if (win->kind == RR_W_SHARED) // the parts lie side by side
        part->size = round_up(part->size, RR_GUARD_BYTES);
    else if (!rnd_has(RR_F_ODD))
        part->size = round_up(part->size, 16);
    for (int i = part->nsegs; i <= RR_MAX_SEGS; i++)
        part->seg_start[i] = part->size;
}

static void equalise(struct rr_win *win)
{
    MPI_Aint size = 0;
    for (int r = 0; r < win->size; r++)
        size = win->parts[r].size > size ? win->parts[r].size : size;
    for (int r = 0; r < win->size; r++) {
        struct rr_part *part = &win->parts[r];
        part->size = win->same_size ? size : part->size;
        part->seg_start[part->nsegs] = part->size;
        part->unit = win->same_unit ? win->parts[0].unit : part->unit;
    }
}

/** What the memory holds before the first round: small values, and poison in between. */
static void fill_model(struct rr_part *part, unsigned value)
{
    part->model = rnd_alloc((size_t)part->size + 1);
    csp_test_poison(part->model, (size_t)part->size);
    for (int z = 0; z < part->nzones; z++) {
        struct rr_zone *zone = &part->zones[z];
        for (int i = 0; i < zone->n; i++)
            rr_value(zone->basic, RR_REPLACE, value + (unsigned)z, i,
                     part->model + zone->at + i * zone->basic->class->extent);
    }
}

void rr_plan_win(struct rr_program *p, struct rr_win *win, struct rnd_rng *rng, const int *nodes)
{
    const struct rr_basic *all;
    win->id = p->nids++;
    plan_kind(win, rng);
    rnd_kind = win->kind;
    plan_members(p, win, rng, nodes);
    plan_hints(win, rng);
    win->parts = rnd_alloc(sizeof *win->parts * (size_t)win->size);
    int palette = rnd_pick(rng, rr_basics(&all)); // most zones of a window are of one type
    for (int r = 0; r < win->size; r++)
        plan_part(win, &win->parts[r], rng, palette);
    equalise(win);
    for (int r = 0; r < win->size; r++)
        fill_model(&win->parts[r], (unsigned)rnd_next(rng));
}
