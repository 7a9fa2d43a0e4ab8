// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "adapt/adapt.h"

enum {
    MEAN_OF = 16,     // measurements that the running means remember
    ABORT_FACTOR = 2, // a probe that is so much dearer need not go on,
    ABORT_SHARE = 4,  // when it has lost the interval by this
    CREDIT = 8,       // by how much sooner a probe may follow the last one in another phase
};

const struct csp_adapt_config csp_adapt_defaults = {
    .interval_ns = 10000000,
    .interval_units = 8,
    .margin = 0.04,
    .change = 0.15,
    .budget = 0.02,
    .probe_every_ns = 200000000,
    .probe_seldom_ns = 1000000000,
};

static double absolute(double x)
{
    return x < 0 ? -x : x;
}

static void learn(struct csp_adapt_cost *c, double ns)
{
    if (c->n == 0) {
        *c = (struct csp_adapt_cost){.ns = ns, .dev = 0, .n = 1};
        return;
    }
    c->n += c->n < MEAN_OF;
    c->dev += (absolute(ns - c->ns) - c->dev) / c->n;
    c->ns += (ns - c->ns) / c->n;
}

static enum csp_adapt_route other(enum csp_adapt_route r)
{
    return r == CSP_ADAPT_ON ? CSP_ADAPT_OFF : CSP_ADAPT_ON;
}

static void start_measuring(struct csp_adapt *a, uint64_t now_ns, uint64_t units)
{
    a->since_ns = now_ns;
    a->since_units = units;
}

void csp_adapt_begin(struct csp_adapt *a, const struct csp_adapt_config *config,
                     enum csp_adapt_route route, uint64_t now_ns)
{
    *a = (struct csp_adapt){.config = *config,
                            .home = route,
                            .now = route,
                            .reason = CSP_ADAPT_START,
                            .since_ns = now_ns,
                            .probe_at_ns = now_ns,
                            .probed_ns = now_ns,
                            .credit = CREDIT,
                            .pause_ns = config->probe_every_ns};
}

// A measurement that does not belong to what the mean is of.
static int has_changed(const struct csp_adapt *a, const struct csp_adapt_cost *c, double ns)
{
    double off = absolute(ns - c->ns);
    return c->n > 0 && off > a->config.change * c->ns && off > 3 * c->dev;
}

// The old costs say nothing now, so the other route is worth a probe soon. Phases that come as fast as
// probes use up the credit. The phase began somewhere in the measurement, so that is good for a first
// comparison only.
static void forget(struct csp_adapt *a, double ns)
{
    a->cost[a->home] = (struct csp_adapt_cost){.ns = ns, .n = 1};
    a->cost[other(a->home)].n = 0;
    a->pause_ns = a->config.probe_every_ns;
    uint64_t at_ns = a->probed_ns + (uint64_t)(a->last_lost_ns / a->config.budget) / a->credit;
    if (at_ns < a->probe_at_ns)
        a->probe_at_ns = at_ns;
    a->credit -= a->credit > 1;
    a->mixed = 1;
}

static void begin_probe(struct csp_adapt *a)
{
    a->now = other(a->home);
    a->reason = CSP_ADAPT_PROBE;
    a->probes++;
}

// What a difference must exceed to be one: noise shrinks with the number of measurements.
static double doubt_ns(const struct csp_adapt *a)
{
    const struct csp_adapt_cost *h = &a->cost[a->home], *o = &a->cost[other(a->home)];
    double var =
        h->dev * h->dev / h->n + h->dev * h->dev / o->n; // noise of the chosen one for both
    double sigma = h->dev + 1;
    for (int i = 0; i < 8; i++) // square root; the library needs no libm
        sigma = 0.5 * (sigma + var / sigma);
    return a->config.margin * h->ns + sigma;
}

static int other_is_better(const struct csp_adapt *a)
{
    const struct csp_adapt_cost *o = &a->cost[other(a->home)];
    return o->n > 0 && o->ns < a->cost[a->home].ns - doubt_ns(a);
}

static void switch_home(struct csp_adapt *a)
{
    if (a->mixed)
        a->cost[a->home].n = 0;
    a->mixed = 0;
    a->home = a->now = other(a->home);
    a->reason = CSP_ADAPT_BETTER;
    a->switches++;
    a->pause_ns = a->config.probe_every_ns;
    a->credit = CREDIT;
}

// A measurement of the chosen route is complete.
static void settle(struct csp_adapt *a, uint64_t now_ns, double ns)
{
    struct csp_adapt_cost *c = &a->cost[a->home];
    if (a->mixed) {
        *c = (struct csp_adapt_cost){.ns = ns, .n = 1};
        a->mixed = 0;
    } else if (c->n > 1 && has_changed(a, c, ns)) { // a single one has no deviation to judge by
        forget(a, ns);
    } else {
        learn(c, ns);
    }
    if (other_is_better(a))
        switch_home(a);
    else if (now_ns >= a->probe_at_ns)
        begin_probe(a);
}

// The next probe: when the loss of this one is within the budget.
static void plan_probe(struct csp_adapt *a, uint64_t now_ns, double lost_ns)
{
    uint64_t pause_ns = (uint64_t)(lost_ns / a->config.budget);
    a->lost_ns += lost_ns;
    a->last_lost_ns = lost_ns;
    a->probed_ns = now_ns;
    a->probe_at_ns = now_ns + (pause_ns > a->pause_ns ? pause_ns : a->pause_ns);
}

// The probe is over.
static void conclude(struct csp_adapt *a, uint64_t now_ns, uint64_t took_ns, double units)
{
    struct csp_adapt_cost *home = &a->cost[a->home], *tried = &a->cost[a->now];
    double ns = (double)took_ns / (units > 0.5 ? units : 0.5);
    double lost = (double)took_ns - units * home->ns;
    if (has_changed(a, tried, ns))
        tried->n = 0;
    learn(tried, ns);
    if (other_is_better(a)) {
        switch_home(a);
    } else {
        a->now = a->home;
        a->reason = CSP_ADAPT_WORSE;
        a->pause_ns *= a->pause_ns < a->config.probe_seldom_ns ? 2 : 1;
    }
    plan_probe(a, now_ns, lost > 0 ? lost : 0);
}

static int is_complete(const struct csp_adapt *a, uint64_t took_ns, uint64_t units)
{
    if (units >= a->config.interval_units && took_ns >= a->config.interval_ns)
        return 1;
    if (a->now == a->home)
        return 0;
    double usual_ns = (double)units * a->cost[a->home].ns, ns = (double)took_ns;
    return ns > ABORT_FACTOR * usual_ns &&
           ns - usual_ns > (double)a->config.interval_ns / ABORT_SHARE;
}

enum csp_adapt_route csp_adapt_step(struct csp_adapt *a, uint64_t now_ns, uint64_t units)
{
    uint64_t took_ns = now_ns - a->since_ns, done = units - a->since_units;
    if (!is_complete(a, took_ns, done))
        return a->now;
    if (a->now == a->home)
        settle(a, now_ns, (double)took_ns / (double)done);
    else
        conclude(a, now_ns, took_ns, (double)done);
    start_measuring(a, now_ns, units);
    return a->now;
}
