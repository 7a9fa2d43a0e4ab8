// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The first ghosts of a job's nodes find by measurement which route is better (adapt/keep.h). A node's users are
// one here, since its ghost adds up what they did: what it reports is multiplied. It computes and waits for accumulates, and
// never has one under way when a ghost looks.
#include "exchange_sim.h"

#include <stdlib.h>
#include "adapt/keep.h"
#include "exchange_post.h"
#include "unit.h"

enum { GID = 7, LONG = 200, LOOK_NS = 100000, NEIGHBOURS = 26, LEAVE_LOOKS = 100000 };

static const double compute_ns = 50000, cheap_ns = 20000, dear_ns = 60000;

struct site {
    struct sites *all;
    struct exchange_desk desk;
    struct csp_keep *keep;
    struct csp_gate *gates; // of its user, by the number of the target
    int ngates, target;     // the one of the operation that goes on
    double busy_ns, free_ns;
    long messages; // until now, as `busy_ns`
};

struct sites {
    const struct exchange_routes_job *job;
    int nodes;
    struct site *sites;
    double now_ns, route_ns[CSP_ADAPT_ROUTES]; // what an operation takes
    double stopped_ns;
    uint64_t seed;
    struct exchange_routes result;
};

static double around(struct sites *w, double ns)
{
    return ns * (0.5 + (double)(unit_random(&w->seed) % 1024) / 1024);
}

// Some take long, because a process has lost its core.
static double wait_ns(struct sites *w, double ns)
{
    int one_in = w->job->long_one_in;
    return around(w, one_in && unit_random(&w->seed) % (uint64_t)one_in == 0 ? LONG * ns : ns);
}

static void send(void *ctx, int to, const struct csp_keep_msg *msg)
{
    struct site *s = ctx;
    struct csp_keep_msg m = *msg;
    if (m.kind == CSP_KEEP_WORK) {
        unsigned users = (unsigned)s->all->job->per_node;
        m.users *= users;
        m.calls *= users;
        m.n *= users;
        m.waited_ns *= users;
    }
    exchange_send(&s->desk, &s->all->sites[to].desk, s->all->now_ns, 0, &m, sizeof(m));
}

static void say(void *ctx, uint64_t gid, const struct csp_adapt *why, uint64_t users)
{
    (void)ctx;
    (void)gid;
    (void)why;
    (void)users;
}

// The node that is the target with this number.
static int target_of(const struct sites *w, int node, int number)
{
    if (w->job->targets == EXCHANGE_NEIGHBOURS)
        return (node + 1 + number) % w->nodes;
    return number + (number >= node);
}

static int targets_of(const struct sites *w, int node)
{
    int others = w->nodes - 1;
    if (w->job->targets == EXCHANGE_EVERYBODY)
        return others;
    if (w->job->targets == EXCHANGE_NEIGHBOURS)
        return NEIGHBOURS < others ? NEIGHBOURS : others;
    return node > 0;
}

static void begin(struct sites *w, int node)
{
    struct site *s = &w->sites[node];
    *s = (struct site){.all = w, .ngates = targets_of(w, node), .target = -1};
    exchange_desk_open(&s->desk, node);
    struct csp_keep_config config = {csp_adapt_config_for((uint64_t)(w->job->interval_ms * 1e6)),
                                     node, send, say, s};
    s->keep = csp_keep_new(&config);
    s->gates = exchange_calloc((size_t)s->ngates + 1, sizeof(*s->gates));
}

// All make their windows, and use all their targets, at about the same time.
static void join(struct sites *w, int node)
{
    struct site *s = &w->sites[node];
    for (int i = 0; i < s->ngates; i++) {
        csp_gate_init(&s->gates[i]);
        csp_keep_join(s->keep, GID, target_of(w, node, i), 0, &s->gates[i]);
    }
}

// The user's operations that are over by now: computing, then a wait.
static void operate(struct sites *w, struct site *s)
{
    while (s->ngates > 0 && s->free_ns <= w->now_ns) {
        if (s->target < 0) {
            s->target = (int)(unit_random(&w->seed) % (uint64_t)s->ngates);
            s->free_ns += around(w, compute_ns);
            continue;
        }
        struct csp_gate *g = &s->gates[s->target];
        uint64_t word = csp_gate_look(g);
        if (word & CSP_GATE_CLOSED) {
            w->stopped_ns += w->now_ns - s->free_ns;
            s->free_ns = w->now_ns + 1; // looks again
            return;
        }
        double ns = wait_ns(w, w->route_ns[(word & CSP_GATE_ACC_OFF) != 0]);
        csp_gate_waited(g, 0, (uint64_t)ns, 1);
        s->free_ns += ns;
        s->target = -1;
    }
}

static void look(struct sites *w, struct site *s)
{
    operate(w, s);
    if (s->desk.free_ns > w->now_ns)
        return;
    struct exchange_letter *l;
    while (s->desk.free_ns < w->now_ns + LOOK_NS && (l = exchange_take(&s->desk, w->now_ns))) {
        exchange_note(&s->desk, w->now_ns, l, 0);
        csp_keep_receive(s->keep, l->from, (const struct csp_keep_msg *)(const void *)l->text,
                         (uint64_t)w->now_ns);
        free(l);
    }
    csp_keep_turn(s->keep, (uint64_t)w->now_ns);
}

// The share of gates whose accumulates go by the cheaper route.
static double share_right(const struct sites *w)
{
    long right = 0, all = 0;
    int off = w->route_ns[CSP_ADAPT_OFF] < w->route_ns[CSP_ADAPT_ON];
    for (int node = 0; node < w->nodes; node++) {
        const struct site *s = &w->sites[node];
        for (int i = 0; i < s->ngates; i++)
            right += !off == !(csp_gate_look(&s->gates[i]) & CSP_GATE_ACC_OFF);
        all += s->ngates;
    }
    return (double)right / (double)all;
}

static void end_interval(struct sites *w)
{
    struct exchange_routes *r = &w->result;
    for (int node = 0; node < w->nodes; node++) {
        struct site *s = &w->sites[node];
        double busy = s->desk.busy_ns / (w->job->interval_ms * 1e6);
        r->peak_messages =
            s->desk.messages > r->peak_messages ? s->desk.messages : r->peak_messages;
        r->peak_busy = busy > r->peak_busy ? busy : r->peak_busy;
        s->messages += s->desk.messages;
        s->busy_ns += s->desk.busy_ns;
        exchange_desk_forget(&s->desk);
    }
}

static void run_interval(struct sites *w)
{
    double end_ns = w->now_ns + w->job->interval_ms * 1e6;
    for (; w->now_ns < end_ns; w->now_ns += LOOK_NS)
        for (int node = 0; node < w->nodes; node++)
            look(w, &w->sites[node]);
    end_interval(w);
}

// @return milliseconds until nearly all go by the cheaper route and stay there, at most so many intervals.
static double find(struct sites *w, int cheap, int intervals)
{
    enum { STAY = 12 }; // longer than a probe that nothing comes of
    double begin_ns = w->now_ns;
    w->route_ns[cheap] = cheap_ns;
    w->route_ns[!cheap] = dear_ns;
    for (int i = 1, since = 0; i <= intervals; i++) {
        run_interval(w);
        if (share_right(w) < 0.95)
            since = i;
        else if (i - since == STAY)
            return (w->now_ns - begin_ns) * 1e-6 * (since + 1) / i;
    }
    return -1;
}

// What it costs while nothing changes: the busiest ghost, on average.
static void stay(struct sites *w, int intervals)
{
    struct exchange_routes *r = &w->result;
    double begin_ns = w->now_ns;
    for (int node = 0; node < w->nodes; node++)
        w->sites[node].busy_ns = 0, w->sites[node].messages = 0;
    w->stopped_ns = r->peak_busy = r->peak_messages = 0;
    for (int i = 0; i < intervals; i++) {
        run_interval(w);
        r->right += share_right(w) / intervals;
    }
    for (int node = 0; node < w->nodes; node++) {
        double busy = w->sites[node].busy_ns / (w->now_ns - begin_ns);
        double messages = (double)w->sites[node].messages / intervals;
        r->busy = busy > r->busy ? busy : r->busy;
        r->messages = messages > r->messages ? messages : r->messages;
    }
    r->stopped = w->stopped_ns / (w->now_ns - begin_ns) / w->nodes;
}

static int gates_left(const struct site *s)
{
    int left = 0;
    for (int i = 0; i < s->ngates; i++)
        left += !(csp_gate_look(&s->gates[i]) & CSP_GATE_GONE);
    return left;
}

static void leave(struct sites *w)
{
    for (int node = 0; node < w->nodes; node++)
        for (int i = 0; i < w->sites[node].ngates; i++)
            csp_keep_leave(w->sites[node].keep, GID, target_of(w, node, i),
                           &w->sites[node].gates[i]);
    for (int node = 0; node < w->nodes; node++)
        w->sites[node].free_ns = 1e300; // no operations
    double begin_ns = w->now_ns;
    int left = 1;
    for (int i = 0; left && i < LEAVE_LOOKS; i++, w->now_ns += LOOK_NS) {
        left = 0;
        for (int node = 0; node < w->nodes; node++) {
            look(w, &w->sites[node]);
            left += gates_left(&w->sites[node]);
        }
    }
    w->result.leave_ms = left ? -1 : (w->now_ns - begin_ns) * 1e-6;
}

static void end(struct sites *w)
{
    for (int node = 0; node < w->nodes; node++) {
        struct site *s = &w->sites[node];
        w->result.wrong += s->desk.first != NULL;
        csp_keep_free(s->keep); // checks that nothing is left
        free(s->gates);
    }
    free(w->sites);
}

struct exchange_routes exchange_routes(const struct exchange_routes_job *job)
{
    enum { FIND = 200, STAY = 100 };
    struct sites w = {.job = job, .now_ns = 1, .seed = 1};
    w.nodes = (job->users + job->per_node - 1) / job->per_node;
    w.sites = exchange_calloc((size_t)w.nodes, sizeof(*w.sites));
    for (int node = 0; node < w.nodes; node++)
        begin(&w, node);
    for (int node = 0; node < w.nodes; node++)
        join(&w, node);
    w.result.nodes = w.nodes;
    w.result.found_ms = find(&w, CSP_ADAPT_OFF, FIND);
    stay(&w, STAY);
    w.result.followed_ms = find(&w, CSP_ADAPT_ON, FIND);
    leave(&w);
    end(&w);
    return w.result;
}
