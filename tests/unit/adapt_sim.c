// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "adapt_sim.h"

#include "unit.h"

// Mean 1; the sum of three uniform ones is near enough to a bell.
static double noisy(double share, uint64_t *random)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (double)(unit_random(random) % 1000000) / 1e6;
    return 1 + share * (sum - 1.5) / 1.5;
}

// Mean 1: one in TAIL_ONE_IN is `times` what the others are.
static double tailed(double times, uint64_t *random)
{
    enum { TAIL_ONE_IN = 10 };
    const double usual = TAIL_ONE_IN / (times + TAIL_ONE_IN - 1);
    return unit_random(random) % TAIL_ONE_IN ? usual : usual * times;
}

struct sim {
    const struct sim_world *world;
    struct csp_adapt adapt;
    uint64_t random;
    double now_ns, done, cost_ns;
    uint64_t calls;
    struct csp_adapt_done told; // to the controller, last
    double report_ns, order_ns; // the next report; when the conductor says so, 0: it was not asked
    enum csp_adapt_route route; // of the last operation,
    double changed_ns;          // and when it became that
};

static void tell(struct sim *s)
{
    s->told = (struct csp_adapt_done){(uint64_t)s->done, s->calls, (uint64_t)s->cost_ns};
}

// What a keeper does with a report, and a conductor that nobody else asks.
static void report(struct sim *s)
{
    struct csp_adapt *a = &s->adapt;
    tell(s);
    csp_adapt_step(a, (uint64_t)s->now_ns, s->told);
    if (a->now != a->home && a->tried)
        csp_adapt_decide(a, (uint64_t)s->now_ns, s->told, 0);
    if (a->due && !s->order_ns)
        s->order_ns = s->now_ns + (double)csp_adapt_patience_ns(a);
    s->report_ns = s->now_ns + (double)a->config.interval_ns / CSP_ADAPT_REPORTS;
}

// The keeper begins with what it was told by then; the origins' ghosts report before the change.
static void order(struct sim *s)
{
    csp_adapt_probe(&s->adapt, (uint64_t)s->now_ns, s->told);
    tell(s);
    csp_adapt_restart(&s->adapt, (uint64_t)s->now_ns, s->told);
    s->order_ns = 0;
    s->report_ns = s->now_ns + (double)s->adapt.config.interval_ns / CSP_ADAPT_REPORTS;
}

static double one_ns(struct sim *s, const struct sim_phase *p)
{
    if (s->adapt.now != s->route)
        s->changed_ns = s->now_ns;
    s->route = s->adapt.now;
    double stir = s->now_ns < s->changed_ns + s->world->stir_s * 1e9 ? s->world->stir : 0;
    const double tail = p->tail > 0 ? tailed(p->tail, &s->random) : 1;
    return p->ns[s->route] * (1 + stir) * noisy(s->world->noise, &s->random) * tail;
}

static void run_phase(struct sim *s, const struct sim_phase *p, double *slower, double *follow_s)
{
    enum csp_adapt_route best =
        p->ns[CSP_ADAPT_OFF] < p->ns[CSP_ADAPT_ON] ? CSP_ADAPT_OFF : CSP_ADAPT_ON;
    const double per_call = p->per_call > 0 ? p->per_call : s->world->per_call;
    const double work = p->best_s * 1e9 / (p->ns[best] + p->compute_ns / per_call);
    const double start = s->now_ns, end = s->done + work;
    double last_wrong = start;
    while (s->done < end) {
        const double took_ns = one_ns(s, p) * per_call;
        s->cost_ns += took_ns;
        s->now_ns += took_ns + p->compute_ns;
        s->done += per_call;
        s->calls++;
        if (s->order_ns && s->now_ns >= s->order_ns)
            order(s);
        else if (s->now_ns >= s->report_ns)
            report(s);
        if (s->adapt.home != best)
            last_wrong = s->now_ns;
    }
    *slower = (s->now_ns - start) / (p->best_s * 1e9) - 1;
    *follow_s = (last_wrong - start) * 1e-9;
}

void sim_run(const struct sim_world *world, const struct csp_adapt_config *config,
             struct sim_result *result)
{
    struct sim s = {.world = world, .random = world->seed};
    double best_ns = 0;
    *result = (struct sim_result){0};
    csp_adapt_begin(&s.adapt, config, CSP_ADAPT_ON, 0);
    s.adapt.config.by_order = 1; // as in csp_keep_new
    for (int i = 0; i < world->nphases; i++) {
        run_phase(&s, &world->phase[i], &result->slower[i], &result->follow_s[i]);
        best_ns += world->phase[i].best_s * 1e9;
    }
    result->slower_all = s.now_ns / best_ns - 1;
    result->switches = s.adapt.switches;
    result->probes = s.adapt.probes;
}
