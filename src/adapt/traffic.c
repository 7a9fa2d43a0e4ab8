// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "adapt/traffic.h"

enum {
    SHORTEST_NS = 20000000, // of an interval that can be judged
    NOTICE_NS = 5000000,    // of one with nothing to hide, so that other traffic is noticed soon
    LONGEST_NS = 1000000000,
    FEWEST_CALLS = 4,   // of any interval
    WORTH_PERCENT = 5,  // of the time: less to hide is not worth an attempt
    GAIN_PERCENT = 3,   // ghosts have to be better by that
    COST_PERCENT = 2,   // of the time, at most, may be lost by attempts
    HOPELESS = 2,       // so many times as dear: an attempt ends before it is through
    OTHER_PERCENT = 25, // messages or elements of a call that differ by more are other traffic
    ASKS = 8,           // for a change, at collective calls one after the other
    REST = 16,          // looks after an attempt without gain; doubled with each,
    FAILS = 6,          // as often
    KEPT = 8,       // intervals with ghosts until the library is tried again; doubled with each,
    MOST_KEPT = 64, // up to that
    MOST_CALLS = 1 << 20 // between two looks
};

void csp_traffic_init(struct csp_traffic *t, int alternate)
{
    *t = (struct csp_traffic){
        .alternate = alternate, .calls = 1, .length = FEWEST_CALLS, .kept = KEPT};
}

static void enter(struct csp_traffic *t, enum csp_traffic_state state, uint32_t calls)
{
    t->state = state;
    t->asked = t->asks = 0;
    t->calls = calls;
    t->left = t->kept;
    t->keep_ns = t->keep_calls = 0;
}

// Calls of a state's interval.
static uint32_t calls_in(const struct csp_traffic *t, enum csp_traffic_state state)
{
    return state == CSP_TRAFFIC_WARM ? FEWEST_CALLS : t->length;
}

static int by_ghosts(enum csp_traffic_state state)
{
    return state == CSP_TRAFFIC_WARM || state == CSP_TRAFFIC_TRY || state == CSP_TRAFFIC_KEEP;
}

static enum csp_traffic_state other_way(enum csp_traffic_state state)
{
    return by_ghosts(state) ? CSP_TRAFFIC_WATCH : CSP_TRAFFIC_KEEP;
}

// A change of way waits until the traffic is quiet. What does not come true after some calls is given up; only from the
// attempt there is no way but back.
static void ask(struct csp_traffic *t, enum csp_traffic_state state, int quiet)
{
    if (quiet || by_ghosts(state) == by_ghosts(t->state)) {
        enter(t, state, calls_in(t, state));
    } else if (++t->asks <= ASKS) {
        t->asked = (int)state + 1;
        t->calls = 1;
    } else if (t->state == CSP_TRAFFIC_TRY) {
        t->calls = t->length;
    } else {
        t->rest = REST;
        enter(t, t->state, calls_in(t, t->state));
    }
}

static int differ(double a, double b)
{
    double more = a > b ? a : b, less = a > b ? b : a;
    return (more - less) * 100 > OTHER_PERCENT * more;
}

static int other_traffic(const struct csp_traffic *t, const struct csp_traffic_cost *c)
{
    return differ(t->library.messages, c->messages) || differ(t->library.elements, c->elements);
}

static int gains(double ghosts_ns, double library_ns)
{
    return ghosts_ns * 100 <= library_ns * (100 - GAIN_PERCENT);
}

// Back to the library; what was learnt holds no more.
static void start_again(struct csp_traffic *t, int quiet)
{
    t->fails = t->rest = 0;
    t->kept = KEPT;
    ask(t, CSP_TRAFFIC_SETTLE, quiet);
}

static void give_up(struct csp_traffic *t, int quiet)
{
    t->rest = REST << (t->fails < FAILS ? t->fails : FAILS);
    t->fails++;
    t->kept = KEPT;
    ask(t, CSP_TRAFFIC_WATCH, quiet);
}

static int worth_it(const struct csp_traffic_look *l)
{
    return l->hidden_ns * 100 >= l->ns * WORTH_PERCENT;
}

// Calls that take far longer than those before them need fewer to be judged.
static void shorten(struct csp_traffic *t, const struct csp_traffic_look *l)
{
    if (l->ns <= LONGEST_NS)
        return;
    uint32_t fit = (uint32_t)(l->calls * (LONGEST_NS / 2) / l->ns);
    uint32_t most = fit > FEWEST_CALLS ? fit : FEWEST_CALLS;
    if (t->length > most)
        t->length = most;
}

// Intervals become as long as it takes to judge them: until two of them are alike, for a program may have several
// collective calls in a step. @return whether this one will do.
static int fit_length(struct csp_traffic *t, const struct csp_traffic_look *l, int other)
{
    int too_short = l->ns < (worth_it(l) ? SHORTEST_NS : NOTICE_NS);
    if ((too_short || (other && l->ns < LONGEST_NS / 2)) && t->length < MOST_CALLS)
        t->length *= 2;
    t->calls = t->length;
    return !too_short && !other;
}

// Ghosts may turn out to be half as dear again, or as dear as last time.
static int can_afford(const struct csp_traffic *t)
{
    double risk_ns = t->fails > 0 ? t->attempt_ns : t->library.ns * (FEWEST_CALLS + t->length) / 2;
    return (t->attempts_ns + risk_ns) * 100 <= t->ran_ns * COST_PERCENT;
}

static void watch(struct csp_traffic *t, const struct csp_traffic_look *l,
                  const struct csp_traffic_cost *c)
{
    int other = other_traffic(t, c);
    t->library = *c;
    if (other)
        t->fails = t->rest = 0;
    if (!fit_length(t, l, other))
        return;
    if (t->rest > 0)
        t->rest--;
    else if (worth_it(l) && can_afford(t))
        ask(t, CSP_TRAFFIC_WARM, l->quiet);
}

// A part of an attempt is over.
static void attempted(struct csp_traffic *t, const struct csp_traffic_look *l,
                      const struct csp_traffic_cost *c)
{
    double lost_ns = (c->ns - t->library.ns) * (double)l->calls;
    if (t->state == CSP_TRAFFIC_WARM)
        t->attempt_ns = 0;
    if (lost_ns > 0 && !other_traffic(t, c)) {
        t->attempt_ns += lost_ns;
        t->attempts_ns += lost_ns;
    }
}

static void warm(struct csp_traffic *t, const struct csp_traffic_look *l,
                 const struct csp_traffic_cost *c)
{
    attempted(t, l, c);
    if (c->ns > HOPELESS * t->library.ns && !other_traffic(t, c))
        give_up(t, l->quiet);
    else
        ask(t, CSP_TRAFFIC_TRY, l->quiet);
}

// With ghosts: they have to be better than the library was, for the same traffic.
static void judge(struct csp_traffic *t, const struct csp_traffic_look *l,
                  const struct csp_traffic_cost *c, enum csp_traffic_state next)
{
    if (other_traffic(t, c))
        start_again(t, l->quiet);
    else if (!gains(t->ghosts_ns, t->library.ns))
        give_up(t, l->quiet);
    else
        ask(t, next, l->quiet);
}

static void try(struct csp_traffic *t, const struct csp_traffic_look *l,
                const struct csp_traffic_cost *c)
{
    attempted(t, l, c);
    t->ghosts_ns = c->ns;
    judge(t, l, c, CSP_TRAFFIC_KEEP);
}

// What became dearer than the library was is looked at before its time.
static void keep(struct csp_traffic *t, const struct csp_traffic_look *l,
                 const struct csp_traffic_cost *c)
{
    int dear = c->ns > t->library.ns && differ(c->ns, t->library.ns);
    t->keep_ns += (double)l->ns;
    t->keep_calls += (double)l->calls;
    t->ghosts_ns = t->keep_ns / t->keep_calls;
    if (--t->left == 0 || other_traffic(t, c)) {
        judge(t, l, c, CSP_TRAFFIC_CHECK);
    } else if (dear) {
        t->ghosts_ns = c->ns;
        ask(t, CSP_TRAFFIC_CHECK, l->quiet);
    } else {
        t->calls = t->length;
    }
}

static void check(struct csp_traffic *t, const struct csp_traffic_look *l,
                  const struct csp_traffic_cost *c)
{
    if (other_traffic(t, c)) {
        start_again(t, l->quiet);
        return;
    }
    t->library = *c;
    if (!gains(t->ghosts_ns, c->ns)) {
        give_up(t, l->quiet);
        return;
    }
    t->fails = 0;
    t->kept = t->kept < MOST_KEPT ? 2 * t->kept : MOST_KEPT;
    ask(t, CSP_TRAFFIC_KEEP, l->quiet);
}

int csp_traffic_look(struct csp_traffic *t, const struct csp_traffic_look *l)
{
    double n = l->calls ? (double)l->calls : 1;
    struct csp_traffic_cost c = {(double)l->ns / n, (double)l->messages / n,
                                 (double)l->elements / n};
    t->ran_ns += (double)l->ns;
    shorten(t, l);
    if (t->alternate)
        enter(t, l->quiet ? other_way(t->state) : t->state, 1);
    else if (t->asked)
        ask(t, (enum csp_traffic_state)(t->asked - 1), l->quiet);
    else if (t->state == CSP_TRAFFIC_SETTLE)
        ask(t, CSP_TRAFFIC_WATCH, l->quiet);
    else if (t->state == CSP_TRAFFIC_WARM)
        warm(t, l, &c);
    else if (t->state == CSP_TRAFFIC_WATCH)
        watch(t, l, &c);
    else if (t->state == CSP_TRAFFIC_CHECK)
        check(t, l, &c);
    else if (t->state == CSP_TRAFFIC_TRY)
        try(t, l, &c);
    else
        keep(t, l, &c);
    return by_ghosts(t->state);
}
