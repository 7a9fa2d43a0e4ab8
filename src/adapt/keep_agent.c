// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "adapt/keep_impl.h"

#include <stdlib.h>
#include "base/log.h"

// A gate that an agent looks after.
struct seat {
    struct seat *next;
    struct csp_gate *gate;
    uint64_t units, calls, waited_ns; // reported, with the time in calls that go on
};

enum agent_state { JOINING, OPEN, CLOSING, CLOSED, LEAVING };

struct csp_agent {
    struct csp_timed due; // to report, or to close gates; the first member
    struct csp_agent *next;
    uint64_t gid;
    int node, first; // the keeper's, the conductor's
    enum agent_state state;
    uint32_t route;
    uint64_t change;
    uint64_t sample_ns, share;  // it reports what is done in so long a time, of so many such times
    int samples;                // this is one,
    uint64_t begin_ns;          // since then; else the next one's begin
    uint64_t report_at_ns;      // its end
    struct seat *seats, *going; // going: to be told when LEFT comes
};

static struct csp_agent **find_agent(struct csp_keep *k, uint64_t gid, int node)
{
    struct csp_agent **at = &k->agents[csp_keep_bucket(gid, node)];
    while (*at && ((*at)->gid != gid || (*at)->node != node))
        at = &(*at)->next;
    return at;
}

static void to_keeper(struct csp_keep *k, const struct csp_agent *a, enum csp_keep_kind kind,
                      uint64_t n)
{
    struct csp_keep_msg msg = {.gid = a->gid, .node = a->node, .kind = (uint16_t)kind, .n = n};
    csp_keep_post(k, a->node, &msg);
}

static struct csp_agent *agent_of(struct csp_timed *due)
{
    return (struct csp_agent *)(void *)due;
}

static void set_state(struct csp_keep *k, struct csp_agent *a, enum agent_state state)
{
    csp_timed_stop(&a->due);
    if (state == CLOSING)
        csp_timed_put(&k->closing, &a->due);
    a->state = state;
}

static void wake_at(struct csp_keep *k, struct csp_agent *a, uint64_t ns)
{
    csp_wheel_put(&k->sampling, &a->due, ns);
    csp_keep_look_at(k, ns);
}

static void ask(struct csp_keep *k, struct csp_agent *a)
{
    set_state(k, a, JOINING);
    to_keeper(k, a, CSP_KEEP_JOIN, (uint64_t)a->first);
}

// The time of a wait that ends just now may be seen twice: then the next report has less.
static uint64_t grown(uint64_t *was, uint64_t now)
{
    uint64_t more = now > *was ? now - *was : 0;
    *was += more;
    return more;
}

static uint64_t counted(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

// What was done since the last look.
static struct csp_keep_msg look(const struct csp_agent *a, uint64_t now_ns)
{
    struct csp_keep_msg msg = {.gid = a->gid, .node = a->node, .kind = CSP_KEEP_WORK};
    for (struct seat *s = a->seats; s; s = s->next) {
        msg.waited_ns += grown(&s->waited_ns, csp_gate_waited_until_ns(s->gate, now_ns));
        msg.n += grown(&s->units, counted(&s->gate->units));
        msg.calls += (uint32_t)grown(&s->calls, counted(&s->gate->calls));
        msg.users++;
    }
    return msg;
}

static void begin_sample(struct csp_keep *k, struct csp_agent *a, uint64_t now_ns)
{
    (void)look(a, now_ns);
    a->samples = 1;
    a->begin_ns = now_ns;
    a->report_at_ns = now_ns + a->sample_ns;
    wake_at(k, a, a->report_at_ns);
}

static void plan_sample(struct csp_keep *k, struct csp_agent *a, uint64_t now_ns, uint64_t after)
{
    a->samples = 0;
    a->begin_ns = now_ns + after * a->sample_ns;
    if (after == 0)
        begin_sample(k, a, now_ns);
    else
        wake_at(k, a, a->begin_ns);
}

// A sample stands for the time until the next one, too.
static void report(struct csp_keep *k, struct csp_agent *a, uint64_t now_ns)
{
    struct csp_keep_msg msg = look(a, now_ns);
    if (a->share > 1) {
        double times = (double)(a->share * a->sample_ns) / (double)(now_ns - a->begin_ns);
        msg.waited_ns = (uint64_t)((double)msg.waited_ns * times);
        msg.n = (uint64_t)((double)msg.n * times);
        msg.calls = (uint32_t)((double)msg.calls * times);
    }
    if (msg.calls > 0 || msg.waited_ns > 0)
        csp_keep_post(k, a->node, &msg);
}

static void closed(struct csp_keep *k, struct csp_agent *a)
{
    set_state(k, a, CLOSED);
    to_keeper(k, a, CSP_KEEP_CLOSED, a->change);
}

static void try_close(struct csp_keep *k, struct csp_agent *a)
{
    int all = 1;
    for (struct seat *s = a->seats; s; s = s->next)
        all &= csp_gate_close(s->gate);
    if (all)
        closed(k, a);
}

void csp_keep_join(struct csp_keep *k, uint64_t gid, int node, int first, struct csp_gate *gate)
{
    struct csp_agent **at = find_agent(k, gid, node), *a = *at;
    struct seat *s = csp_keep_calloc(sizeof(*s));
    s->gate = gate;
    if (!a) {
        *at = a = csp_keep_calloc(sizeof(*a));
        a->gid = gid;
        a->node = node;
        a->first = first;
        ask(k, a);
    }
    s->next = a->seats;
    a->seats = s;
    if (a->state == OPEN)
        csp_gate_open(gate, a->route);
}

void csp_keep_leave(struct csp_keep *k, uint64_t gid, int node, struct csp_gate *gate)
{
    struct csp_agent *a = *find_agent(k, gid, node);
    CSP_CHECK(a, "window %llx: a user leaves a route that it did not join",
              (unsigned long long)gid);
    struct seat **at = &a->seats;
    while (*at && (*at)->gate != gate)
        at = &(*at)->next;
    struct seat *s = *at;
    CSP_CHECK(s, "window %llx: a user leaves a route that it did not join",
              (unsigned long long)gid);
    *at = s->next;
    if (a->seats) {
        free(s);
        csp_gate_gone(gate);
        return; // if it was the last that was to be closed, the next turn sees it
    }
    s->next = a->going;
    a->going = s;
    if (a->state == LEAVING)
        return;
    set_state(k, a, LEAVING);
    to_keeper(k, a, CSP_KEEP_LEAVE, 0);
}

static void on_left(struct csp_keep *k, struct csp_agent **at)
{
    struct csp_agent *a = *at;
    while (a->going) {
        struct seat *s = a->going;
        a->going = s->next;
        csp_gate_gone(s->gate);
        free(s);
    }
    if (a->seats) {
        ask(k, a);
        return;
    }
    *at = a->next;
    free(a);
}

static void on_open(struct csp_keep *k, struct csp_agent *a, const struct csp_keep_msg *msg,
                    uint64_t now_ns)
{
    set_state(k, a, OPEN);
    a->route = msg->route;
    a->sample_ns = msg->n;
    a->share = msg->users;
    plan_sample(k, a, now_ns, msg->calls);
    for (struct seat *s = a->seats; s; s = s->next)
        csp_gate_open(s->gate, a->route);
}

static void on_close(struct csp_keep *k, struct csp_agent *a, const struct csp_keep_msg *msg)
{
    a->change = msg->n;
    for (struct seat *s = a->seats; s; s = s->next)
        csp_gate_turn(s->gate, msg->route);
    if (!((a->route ^ msg->route) & CSP_GATE_ACC_OFF)) {
        closed(k, a); // accumulates go on
        return;
    }
    set_state(k, a, CLOSING);
    try_close(k, a);
}

void csp_agent_receive(struct csp_keep *k, const struct csp_keep_msg *msg, uint64_t now_ns)
{
    struct csp_agent **at = find_agent(k, msg->gid, msg->node);
    CSP_CHECK(*at, "window %llx: a route that nobody here asked for", (unsigned long long)msg->gid);
    if (msg->kind == CSP_KEEP_LEFT)
        on_left(k, at);
    else if ((*at)->state == LEAVING)
        return; // sent before LEAVE arrived
    else if (msg->kind == CSP_KEEP_OPEN)
        on_open(k, *at, msg, now_ns);
    else
        on_close(k, *at, msg);
}

// @return 1 if something was told.
static int sample(struct csp_keep *k, struct csp_agent *a, uint64_t now_ns)
{
    if (a->samples && now_ns >= a->report_at_ns) {
        report(k, a, now_ns);
        plan_sample(k, a, now_ns, a->share - 1);
        return 1;
    }
    if (!a->samples && now_ns >= a->begin_ns)
        begin_sample(k, a, now_ns);
    else // further away than the wheel is large
        wake_at(k, a, a->samples ? a->report_at_ns : a->begin_ns);
    return 0;
}

int csp_agents_close(struct csp_keep *k)
{
    int done = 0;
    for (struct csp_timed *t = k->closing, *next; t; t = next) {
        next = t->next;
        try_close(k, agent_of(t));
        done |= agent_of(t)->state == CLOSED;
    }
    return done;
}

int csp_agents_sample(struct csp_keep *k, uint64_t now_ns)
{
    struct csp_timed *due = NULL;
    int done = 0;
    csp_wheel_take(&k->sampling, now_ns, &due);
    while (due) {
        struct csp_agent *a = agent_of(due);
        csp_timed_stop(&a->due);
        done |= sample(k, a, now_ns);
    }
    csp_keep_look_at(k, csp_wheel_next_ns(&k->sampling));
    return done;
}
