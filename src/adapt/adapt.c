// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "adapt/adapt.h"

#include <string.h>

static const double FIRST_DEV = 0.25; // of a cost that was measured once
static const double PLAIN = 0.75; // a difference that half a measurement shows; binary logarithm

enum {
    MEAN_OF = 16,     // measurements that the running means remember
    ABORT_FACTOR = 2, // a probe that is so much dearer need not go on,
    ABORT_SOON = 4,   // while it settles,
    ABORT_SHARE = 4,  // when it has lost the interval by this
    PROBE_MOST = 4,   // measurements in a probe
    OTHER_WORK = 4,   // times as many operations between waits, or as few
    PROBE_EVERY = 20, // intervals
    PROBE_SELDOM = 160,
    PATIENCE_INTERVALS = 2,
    URGENT_SHARE = 8, // of one, in another phase
    CREDIT = 8,       // by how much sooner a probe may follow the last one in another phase
};

struct csp_adapt_config csp_adapt_config_for(uint64_t interval_ns)
{
    return (struct csp_adapt_config){
        .interval_ns = interval_ns,
        .interval_calls = 8,
        .settle_ns = interval_ns,
        .margin = 0.06,
        .change = 0.2,
        .budget = 0.02,
        .probe_every_ns = PROBE_EVERY * interval_ns,
        .probe_seldom_ns = PROBE_SELDOM * interval_ns,
    };
}

static double absolute(double x)
{
    return x < 0 ? -x : x;
}

// Of what is above 0, good to 0.01; the library needs no libm.
static double log_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    double exponent = (double)(bits >> 52) - 1023;
    bits = (bits & ~(UINT64_C(0xfff) << 52)) | UINT64_C(1023) << 52;
    memcpy(&x, &bits, sizeof(x)); // between 1 and 2
    return exponent + (2 - x / 3) * x - 5.0 / 3;
}

// How much dearer a is than b.
static double dearer(double a, double b)
{
    return log_of(a) - log_of(b);
}

static void learn(struct csp_adapt_cost *c, double ns)
{
    if (c->n == 0) {
        *c = (struct csp_adapt_cost){.ns = ns, .dev = FIRST_DEV, .n = 1};
        return;
    }
    c->n += c->n < MEAN_OF;
    c->dev += (absolute(dearer(ns, c->ns)) - c->dev) / c->n;
    c->ns += (ns - c->ns) / c->n;
}

void csp_adapt_restart(struct csp_adapt *a, uint64_t now_ns, struct csp_adapt_done done)
{
    a->since_ns = a->part_ns = now_ns;
    a->since = a->part = done;
}

void csp_adapt_begin(struct csp_adapt *a, const struct csp_adapt_config *config,
                     enum csp_adapt_route route, uint64_t now_ns)
{
    *a = (struct csp_adapt){.config = *config,
                            .least_ns = 1,
                            .home = route,
                            .now = route,
                            .reason = CSP_ADAPT_START,
                            .since_ns = now_ns,
                            .probe_at_ns = now_ns,
                            .probed_ns = now_ns,
                            .credit = CREDIT,
                            .urgent = 1,
                            .pause_ns = config->probe_every_ns};
}

static double cost(const struct csp_adapt *a, struct csp_adapt_done d)
{
    double ns = (double)d.ns / (double)d.units;
    return ns > a->least_ns ? ns : a->least_ns;
}

// Operations between two waits.
static double per_call(struct csp_adapt_done d)
{
    return (double)d.units / (double)d.calls;
}

// Against what the chosen route was measured with.
static int is_other_work(const struct csp_adapt *a, struct csp_adapt_done here)
{
    double now = per_call(here);
    return a->per_call > 0 && (now > OTHER_WORK * a->per_call || now * OTHER_WORK < a->per_call);
}

static int is_plain(const struct csp_adapt_cost *c, double difference)
{
    return difference > PLAIN && difference > 4 * c->dev;
}

// A measurement that does not belong to what the mean is of.
static int has_changed(const struct csp_adapt *a, const struct csp_adapt_cost *c, double ns)
{
    double off = absolute(dearer(ns, c->ns));
    return c->n > 0 && off > a->config.change && off > 3 * c->dev;
}

// To which side it is off what the chosen route was measured with, if its cost `is_off`. Where costs vary by more than those of
// two phases differ, the work between two waits may still tell them apart.
static int side_of(const struct csp_adapt *a, struct csp_adapt_done here, int is_off)
{
    enum { CHEAPER = -1, DEARER = 1, LESS_WORK = -2, MORE_WORK = 2 };
    if (is_other_work(a, here))
        return per_call(here) > a->per_call ? MORE_WORK : LESS_WORK;
    if (!is_off)
        return 0;
    return cost(a, here) > a->cost[a->home].ns ? DEARER : CHEAPER;
}

// Two in a row that are off to the same side are no accident.
static int is_new_phase(struct csp_adapt *a, struct csp_adapt_done here)
{
    const struct csp_adapt_cost *c = &a->cost[a->home];
    double ns = cost(a, here);
    // A single measurement has no deviation to judge by, and work without one is no other work.
    int side = c->n == 0 ? 0 : side_of(a, here, c->n > 1 && has_changed(a, c, ns));
    int twice = side != 0 && side == a->odd;
    a->odd = twice ? 0 : side;
    a->odd_ns = ns;
    return twice;
}

// The noise stays as it is known.
static void begin_again(struct csp_adapt_cost *c, double ns)
{
    c->ns = ns;
    c->n = 1;
}

// Until the loss of a probe is within the budget.
static uint64_t pause_for(const struct csp_adapt *a, double lost_ns)
{
    return (uint64_t)(lost_ns / a->config.budget);
}

// The old costs say nothing now, so the other route is worth a probe soon. Phases that come as fast as
// probes use up the credit.
static void forget(struct csp_adapt *a, double ns)
{
    a->odd = a->odd_part = 0;
    a->urgent = 1;
    begin_again(&a->cost[a->home], ns);
    a->cost[csp_adapt_other(a->home)].n = 0;
    a->pause_ns = a->config.probe_every_ns;
    uint64_t at_ns = a->probed_ns + pause_for(a, a->last_lost_ns) / a->credit;
    if (at_ns < a->probe_at_ns)
        a->probe_at_ns = at_ns;
    a->credit -= a->credit > 1;
}

// The noise of other work is another one.
static void begin_phase(struct csp_adapt *a, struct csp_adapt_done here)
{
    if (is_other_work(a, here))
        a->cost[a->home].dev = FIRST_DEV;
    a->per_call = per_call(here);
    forget(a, cost(a, here));
}

static void take(struct csp_adapt *a, enum csp_adapt_route route)
{
    if (a->now != route) {
        a->settles = 1;
        a->odd_part = 0; // it was the other's
    }
    a->now = route;
}

static void begin_probe(struct csp_adapt *a)
{
    take(a, csp_adapt_other(a->home));
    a->reason = CSP_ADAPT_PROBE;
    a->due = a->urgent = a->tried = 0;
    a->tries = 0;
    a->lost_here_ns = 0;
    a->probes++;
}

// What a difference must exceed to be one: noise shrinks with the number of measurements.
static double doubt(const struct csp_adapt *a)
{
    const struct csp_adapt_cost *h = &a->cost[a->home], *o = &a->cost[csp_adapt_other(a->home)];
    double var = h->dev * h->dev * (1.0 / h->n + 1.0 / o->n); // noise of the chosen one for both
    double sigma = h->dev + 0.01;
    for (int i = 0; i < 8; i++) // square root
        sigma = 0.5 * (sigma + var / sigma);
    return a->config.margin + sigma;
}

static int other_is_better(const struct csp_adapt *a)
{
    const struct csp_adapt_cost *h = &a->cost[a->home], *o = &a->cost[csp_adapt_other(a->home)];
    return o->n > 0 && dearer(h->ns, o->ns) > doubt(a);
}

static void switch_home(struct csp_adapt *a)
{
    if (a->mixed)
        a->cost[a->home].n = 0;
    a->mixed = a->odd = 0;
    a->home = csp_adapt_other(a->home);
    take(a, a->home);
    a->reason = CSP_ADAPT_BETTER;
    a->due = a->urgent = 0;
    a->switches++;
    a->pause_ns = a->config.probe_every_ns;
    a->credit = CREDIT;
}

static void want_probe(struct csp_adapt *a, uint64_t now_ns)
{
    if (now_ns < a->probe_at_ns)
        return;
    if (a->config.by_order)
        a->due = 1;
    else
        begin_probe(a);
}

// A measurement of the chosen route is complete.
static void settle(struct csp_adapt *a, uint64_t now_ns, struct csp_adapt_done here)
{
    if (a->mixed ? is_other_work(a, here) : is_new_phase(a, here)) {
        begin_phase(a, here);
        a->mixed = 1; // the phase began somewhere in it: good for a first comparison only
    } else if (a->mixed) {
        begin_again(&a->cost[a->home], cost(a, here));
        a->mixed = 0;
    } else if (!a->odd) {
        learn(&a->cost[a->home], cost(a, here));
    }
    if (!a->odd)
        a->per_call = per_call(here);
    if (other_is_better(a))
        switch_home(a);
    else
        want_probe(a, now_ns);
}

// The next probe: when the loss of this one is within the budget.
static void plan_probe(struct csp_adapt *a, uint64_t now_ns, double lost_ns)
{
    uint64_t pause_ns = pause_for(a, lost_ns);
    a->lost_ns += lost_ns;
    a->last_lost_ns = lost_ns;
    a->probed_ns = now_ns;
    a->probe_at_ns = now_ns + (pause_ns > a->pause_ns ? pause_ns : a->pause_ns);
}

static void go_home(struct csp_adapt *a)
{
    take(a, a->home);
    a->reason = CSP_ADAPT_WORSE;
}

// A phase began in the probe: its costs are of that one, those of the chosen route of the one before. The chosen one is
// measured anew, then the other; but work may be so mixed that every probe would end like that.
static void spoil_probe(struct csp_adapt *a, uint64_t now_ns)
{
    a->cost[a->home].n = a->cost[a->now].n = 0;
    go_home(a);
    a->urgent = a->spoilt = 1;
    a->probe_at_ns = now_ns;
}

static void end_probe(struct csp_adapt *a, uint64_t now_ns)
{
    a->spoilt = 0;
    if (other_is_better(a))
        switch_home(a);
    if (a->now != a->home) {
        go_home(a);
        a->pause_ns *= a->pause_ns < a->config.probe_seldom_ns ? 2 : 1;
    }
    plan_probe(a, now_ns, a->lost_here_ns > 0 ? a->lost_here_ns : 0);
}

// Against the chosen route.
static double loss(const struct csp_adapt *a, struct csp_adapt_done here)
{
    return (double)here.ns - (double)here.units * a->cost[a->home].ns;
}

static struct csp_adapt_done between(struct csp_adapt_done first, struct csp_adapt_done last)
{
    return (struct csp_adapt_done){last.units - first.units, last.calls - first.calls,
                                   last.ns - first.ns};
}

// A measurement of a probe is complete, or its loss is as large as it may be. A probe that does not show
// anything yet goes on for some measurements.
static void judge(struct csp_adapt *a, uint64_t now_ns, struct csp_adapt_done here, int is_whole)
{
    struct csp_adapt_cost *home = &a->cost[a->home], *tried = &a->cost[a->now];
    a->lost_here_ns += loss(a, here);
    if (!is_whole) {
        tried->n = 0; // leaves at once, whatever others do
        end_probe(a, now_ns);
        return;
    }
    if (!a->spoilt && is_other_work(a, here)) {
        spoil_probe(a, now_ns);
        return;
    }
    double ns = cost(a, here);
    if (a->tries++ == 0 && has_changed(a, tried, ns))
        tried->n = 0;
    learn(tried, ns);
    a->tried |=
        other_is_better(a) || a->tries == PROBE_MOST || dearer(tried->ns, home->ns) > doubt(a);
    if (a->tried && !a->config.by_order)
        end_probe(a, now_ns);
}

// Long enough to say something, or one of so many parts of that.
static int is_long(const struct csp_adapt *a, uint64_t for_ns, struct csp_adapt_done here,
                   unsigned parts)
{
    return here.calls >= a->config.interval_calls && here.units > 0 &&
           for_ns >= a->config.interval_ns / parts;
}

// Parts show a phase that is very different before whole measurements do: two in a row that are plainly off to the same
// side. The first may have begun in the phase before, the second has not.
static int is_plain_phase(struct csp_adapt *a, uint64_t now_ns, struct csp_adapt_done done)
{
    struct csp_adapt_done part = between(a->part, done);
    const struct csp_adapt_cost *c = &a->cost[a->home];
    if (!is_long(a, now_ns - a->part_ns, part, CSP_ADAPT_REPORTS) || c->n == 0 || a->mixed)
        return 0;
    int side = side_of(a, part, is_plain(c, absolute(dearer(cost(a, part), c->ns))));
    int twice = side != 0 && side == a->odd_part;
    a->odd_part = side;
    a->part_ns = now_ns;
    a->part = done;
    if (twice)
        begin_phase(a, part);
    return twice;
}

static int is_too_dear(const struct csp_adapt *a, struct csp_adapt_done here)
{
    double usual_ns = (double)here.units * a->cost[a->home].ns;
    return (double)here.ns > (a->settles ? ABORT_SOON : ABORT_FACTOR) * usual_ns &&
           loss(a, here) > (double)a->config.interval_ns / ABORT_SHARE;
}

// A probe of a route that is so much cheaper needs no more.
static int is_plainly_better(const struct csp_adapt *a, uint64_t for_ns, struct csp_adapt_done here)
{
    const struct csp_adapt_cost *c = &a->cost[a->home];
    return is_long(a, for_ns, here, CSP_ADAPT_REPORTS) && is_plain(c, dearer(c->ns, cost(a, here)));
}

// Without a reason, for tests.
static void alternate(struct csp_adapt *a, uint64_t now_ns, struct csp_adapt_done done)
{
    switch_home(a);
    csp_adapt_restart(a, now_ns, done);
}

// @return 1: what was measured is used.
static int at_home(struct csp_adapt *a, uint64_t now_ns, struct csp_adapt_done done)
{
    struct csp_adapt_done here = between(a->since, done);
    if (is_plain_phase(a, now_ns, done))
        want_probe(a, now_ns);
    else if (is_long(a, now_ns - a->since_ns, here, 1))
        settle(a, now_ns, here);
    else
        return 0;
    return 1;
}

static int in_probe(struct csp_adapt *a, uint64_t now_ns, struct csp_adapt_done done)
{
    struct csp_adapt_done here = between(a->since, done);
    uint64_t for_ns = now_ns - a->since_ns;
    int whole = (!a->settles && is_long(a, for_ns, here, 1)) || is_plainly_better(a, for_ns, here);
    if (!whole && !is_too_dear(a, here))
        return 0;
    judge(a, now_ns, here, whole);
    return 1;
}

// What a change of the route stirs up calms down: caches, connections, who runs on which core. @return 1: it has.
static int has_settled(struct csp_adapt *a, uint64_t now_ns, struct csp_adapt_done done)
{
    if (now_ns - a->since_ns < a->config.settle_ns)
        return 0;
    a->settles = 0;
    a->lost_here_ns += loss(a, between(a->since, done));
    return 1;
}

// @return 1: what was measured is used, or of no use.
static int measured(struct csp_adapt *a, uint64_t now_ns, struct csp_adapt_done done)
{
    if (a->now != a->home && in_probe(a, now_ns, done))
        return 1;
    if (a->settles)
        return has_settled(a, now_ns, done);
    return a->now == a->home && at_home(a, now_ns, done);
}

enum csp_adapt_route csp_adapt_step(struct csp_adapt *a, uint64_t now_ns,
                                    struct csp_adapt_done done)
{
    if (a->config.alternate) {
        if (between(a->since, done).calls && now_ns - a->since_ns >= a->config.interval_ns)
            alternate(a, now_ns, done);
    } else if (measured(a, now_ns, done)) {
        csp_adapt_restart(a, now_ns, done);
    }
    return a->now;
}

// Others want a probe, as a phase has begun for them, perhaps. If what was measured here last was far off, it has begun here as well: the
// probe is not compared with the phase before.
static void look_again(struct csp_adapt *a, uint64_t now_ns, struct csp_adapt_done done)
{
    struct csp_adapt_done here = between(a->since, done);
    int enough = is_long(a, now_ns - a->since_ns, here, CSP_ADAPT_REPORTS);
    if (a->settles)
        return;
    if (enough && side_of(a, here, has_changed(a, &a->cost[a->home], cost(a, here)))) {
        begin_phase(a, here);
        a->mixed = 1;
    } else if (!enough && a->odd) {
        forget(a, a->odd_ns);
        a->mixed = 1;
    }
    a->odd = 0;
}

enum csp_adapt_route csp_adapt_probe(struct csp_adapt *a, uint64_t now_ns,
                                     struct csp_adapt_done done)
{
    if (a->now == a->home && a->cost[a->home].n > 0) {
        look_again(a, now_ns, done);
        begin_probe(a);
        csp_adapt_restart(a, now_ns, done);
    }
    return a->now;
}

// Others may have lost more by the probe than was measured here.
static void charge(struct csp_adapt *a, uint64_t now_ns, double lost_ns)
{
    if (lost_ns > a->last_lost_ns) {
        uint64_t at_ns = now_ns + pause_for(a, lost_ns);
        a->last_lost_ns = lost_ns;
        a->probed_ns = now_ns;
        a->probe_at_ns = at_ns > a->probe_at_ns ? at_ns : a->probe_at_ns;
    }
}

void csp_adapt_decide(struct csp_adapt *a, uint64_t now_ns, struct csp_adapt_done done,
                      uint64_t lost_ns)
{
    if (a->now != a->home) {
        a->lost_here_ns +=
            loss(a, between(a->since, done)); // a probe begins with a known cost at home
        end_probe(a, now_ns);
        csp_adapt_restart(a, now_ns, done);
    }
    charge(a, now_ns, (double)lost_ns);
}

uint64_t csp_adapt_patience_ns(const struct csp_adapt *a)
{
    return a->urgent ? a->config.interval_ns / URGENT_SHARE
                     : PATIENCE_INTERVALS * a->config.interval_ns;
}
