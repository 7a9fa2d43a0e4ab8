// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "adapt/keep_impl.h"

#include <stdlib.h>
#include "base/log.h"

enum {
    REPORTERS = 32,      // at a time; of more agents each reports by samples
    CLOSE_SHARE = 4,     // a change must succeed within this part of an interval,
    RETRY_INTERVALS = 2, // or it is tried again after so many,
    RETRY_MOST = 64,     // then twice as many, up to this
    IDLE_INTERVALS = 8,  // without a report: nobody is there
    LEAST_REPORT_NS = 100000,
    LEAST_CLOSE_NS = 1000000, // ghosts may be asleep,
    MEMBER_CLOSE_NS = 16000,  // and have a message or two for each member
    LEAST_IDLE_NS = 10000000,
    ALL_OFF = CSP_GATE_OFF | CSP_GATE_ACC_OFF
};

struct member {
    struct member *next; // of `leavers`
    int node, number;
    int closed;
    uint32_t users;
};

struct csp_keeper {
    struct csp_keeper *next;
    uint64_t gid;
    struct csp_keep_nodes members;
    int nmembers, nclosed;
    uint32_t route, wanted;
    int changing;
    int unsaid; // there is another route to be told when it is made
    uint64_t change, give_up_ns;
    uint64_t retry_at_ns, retry_intervals;
    int conductor;          // its node
    int asked, urgently;    // it was told that a probe is due; that it should be soon
    int owes;               // it is to be told when a probe has shown what it can,
    uint32_t probe;         // this one,
    int takes_part;         // which it began
    struct member *leavers; // the last ones, while the conductor is asked to forget
    uint64_t users, heard;  // of the members that reported until now; how many these are
    uint64_t work_ns;       // when the last report came
    uint64_t rest_ns;       // waited, less than a nanosecond for each user
    struct csp_adapt_done done;
    struct csp_adapt adapt;
};

static struct csp_keeper **find_keeper(struct csp_keep *k, uint64_t gid)
{
    struct csp_keeper **at = &k->keepers[csp_keep_bucket(gid, 0)];
    while (*at && (*at)->gid != gid)
        at = &(*at)->next;
    return at;
}

// A report tells of one sample in so many.
static uint32_t share_of(const struct csp_keeper *r)
{
    return (uint32_t)(r->nmembers + REPORTERS - 1) / REPORTERS;
}

// A route that its agent may use from now on, and when it reports: in turns with the others, so that what is known of a
// new route soon is a sample, and no less of it in a large job.
static void open_to(struct csp_keep *k, const struct csp_keeper *r, const struct member *m)
{
    uint32_t share = share_of(r);
    struct csp_keep_msg msg = {.gid = r->gid,
                               .node = k->config.node,
                               .kind = CSP_KEEP_OPEN,
                               .route = (uint16_t)r->route,
                               .users = share,
                               .calls = (uint32_t)m->number % share};
    msg.n = csp_keep_at_least(k->config.adapt.interval_ns / CSP_ADAPT_REPORTS, LEAST_REPORT_NS);
    csp_keep_post(k, m->node, &msg);
}

static void to_agent(struct csp_keep *k, const struct csp_keeper *r, int node,
                     enum csp_keep_kind kind)
{
    struct csp_keep_msg msg = {.gid = r->gid,
                               .node = k->config.node,
                               .kind = (uint16_t)kind,
                               .route = (uint16_t)r->wanted,
                               .n = r->change};
    csp_keep_post(k, node, &msg);
}

// Of all members; at least 1.
static uint64_t users_of(const struct csp_keeper *r)
{
    uint64_t users = r->heard ? r->users * (uint64_t)r->nmembers / r->heard : 0;
    return users ? users : 1;
}

static void say(struct csp_keep *k, struct csp_keeper *r)
{
    if (r->unsaid)
        k->config.say(k->config.ctx, r->gid, &r->adapt, users_of(r));
    r->unsaid = 0;
}

static void end_change(struct csp_keep *k, struct csp_keeper *r, uint64_t now_ns)
{
    r->changing = 0;
    say(k, r);
    csp_adapt_restart(&r->adapt, now_ns, r->done);
    const struct member *m;
    for (int node = 0; (m = csp_keep_next(&r->members, &node));)
        open_to(k, r, m);
}

static int changes_accumulates(const struct csp_keeper *r)
{
    return (int)((r->route ^ r->wanted) & CSP_GATE_ACC_OFF);
}

static void finish_change(struct csp_keep *k, struct csp_keeper *r, uint64_t now_ns)
{
    if (r->nclosed < r->nmembers)
        return;
    if (changes_accumulates(r)) {
        r->retry_at_ns = 0;
        r->retry_intervals = RETRY_INTERVALS;
    }
    r->route = r->wanted;
    end_change(k, r, now_ns);
}

// Accumulates stay as they are, for now.
static void give_up(struct csp_keep *k, struct csp_keeper *r, uint64_t now_ns)
{
    if (changes_accumulates(r)) {
        r->retry_at_ns = now_ns + r->retry_intervals * k->config.adapt.interval_ns;
        r->retry_intervals *= r->retry_intervals < RETRY_MOST ? 2 : 1;
    }
    r->route = (r->route & CSP_GATE_ACC_OFF) | (r->wanted & CSP_GATE_OFF);
    end_change(k, r, now_ns);
}

static void begin_change(struct csp_keep *k, struct csp_keeper *r, uint32_t wanted, uint64_t now_ns)
{
    r->wanted = wanted;
    r->changing = 1;
    r->change++;
    r->give_up_ns =
        now_ns + csp_keep_at_least(k->config.adapt.interval_ns / CLOSE_SHARE,
                                   LEAST_CLOSE_NS + (uint64_t)r->nmembers * MEMBER_CLOSE_NS);
    r->nclosed = 0;
    csp_keep_look_at(k, r->give_up_ns);
    struct member *m;
    for (int node = 0; (m = csp_keep_next(&r->members, &node));) {
        m->closed = 0;
        to_agent(k, r, m->node, CSP_KEEP_CLOSE);
    }
}

static struct csp_keep_msg for_conductor(const struct csp_keep *k, const struct csp_keeper *r,
                                         enum csp_keep_kind kind)
{
    return (struct csp_keep_msg){.gid = r->gid, .node = k->config.node, .kind = (uint16_t)kind};
}

static void tell_conductor(struct csp_keep *k, const struct csp_keeper *r, enum csp_keep_kind kind)
{
    struct csp_keep_msg msg = for_conductor(k, r, kind);
    csp_keep_post(k, r->conductor, &msg);
}

// Again if there is a hurry now.
static void want(struct csp_keep *k, struct csp_keeper *r)
{
    if (!r->adapt.due || r->leavers || (r->asked && r->urgently >= r->adapt.urgent))
        return;
    r->asked = 1;
    r->urgently = r->adapt.urgent;
    struct csp_keep_msg msg = for_conductor(k, r, CSP_KEEP_WANT);
    msg.n = csp_adapt_other(r->adapt.home);
    msg.patience_ns = csp_adapt_patience_ns(&r->adapt);
    csp_keep_post(k, r->conductor, &msg);
}

// After a change that was given up, that of PUT and GET alone: it stops nobody.
static void follow(struct csp_keep *k, struct csp_keeper *r, enum csp_adapt_route route,
                   uint64_t now_ns)
{
    uint32_t wanted = route == CSP_ADAPT_OFF ? ALL_OFF : 0;
    if (now_ns < r->retry_at_ns)
        wanted = (wanted & CSP_GATE_OFF) | (r->route & CSP_GATE_ACC_OFF);
    if (wanted != r->route)
        begin_change(k, r, wanted, now_ns);
}

// What the probe shows is known, or nothing will be: once for each.
static void answer(struct csp_keep *k, struct csp_keeper *r)
{
    if (!r->owes || csp_adapt_is_trying(&r->adapt))
        return;
    r->owes = 0;
    struct csp_keep_msg msg = for_conductor(k, r, CSP_KEEP_TRIED);
    msg.calls = r->probe;
    msg.users = (uint32_t)r->takes_part;
    msg.n = (uint64_t)r->nmembers;
    if (r->takes_part && r->adapt.lost_here_ns > 0)
        msg.waited_ns = (uint64_t)r->adapt.lost_here_ns;
    csp_keep_post(k, r->conductor, &msg);
}

// `was`: the chosen route until now.
static void go_on(struct csp_keep *k, struct csp_keeper *r, enum csp_adapt_route was,
                  uint64_t now_ns)
{
    r->unsaid |= r->adapt.home != was;
    if (r->changing)
        return;
    follow(k, r, r->adapt.now, now_ns);
    if (!r->changing) // it was there, for a probe
        say(k, r);
}

static void decide(struct csp_keep *k, struct csp_keeper *r, uint64_t now_ns)
{
    if (r->changing)
        return;
    enum csp_adapt_route home = r->adapt.home;
    csp_adapt_step(&r->adapt, now_ns, r->done);
    answer(k, r);
    want(k, r);
    go_on(k, r, home, now_ns);
}

static void on_decide(struct csp_keep *k, struct csp_keeper *r, uint64_t lost_ns, uint64_t now_ns)
{
    enum csp_adapt_route home = r->adapt.home;
    r->owes = 0;
    csp_adapt_decide(&r->adapt, now_ns, r->done, lost_ns);
    if (r->nmembers > 0)
        go_on(k, r, home, now_ns);
}

// Where nothing is done now there is nothing to measure.
static int can_probe(const struct csp_keep *k, const struct csp_keeper *r,
                     enum csp_adapt_route route, uint64_t now_ns)
{
    uint64_t idle_ns =
        csp_keep_at_least(IDLE_INTERVALS * k->config.adapt.interval_ns, LEAST_IDLE_NS);
    return route != r->adapt.home && !r->changing && now_ns < r->work_ns + idle_ns;
}

static void on_probe(struct csp_keep *k, struct csp_keeper *r, const struct csp_keep_msg *msg,
                     uint64_t now_ns)
{
    r->asked = 0;
    if (r->nmembers == 0 || r->leavers) // it quits, as the conductor will have read by now
        return;
    r->owes = 1;
    r->probe = msg->calls;
    if (can_probe(k, r, (enum csp_adapt_route)msg->n, now_ns))
        follow(k, r, csp_adapt_probe(&r->adapt, now_ns, r->done), now_ns);
    r->takes_part = csp_adapt_is_trying(&r->adapt);
    answer(k, r);
}

static void enrol(struct csp_keep *k, struct csp_keeper *r)
{
    r->asked = 0;
    tell_conductor(k, r, CSP_KEEP_ENROL);
}

static struct csp_keeper *make(struct csp_keep *k, const struct csp_keep_msg *join, uint64_t now_ns)
{
    struct csp_keeper *r = csp_keep_calloc(sizeof(*r));
    r->gid = join->gid;
    r->conductor = (int)join->n;
    r->retry_intervals = RETRY_INTERVALS;
    csp_adapt_begin(&r->adapt, &k->config.adapt, CSP_ADAPT_ON, now_ns);
    enrol(k, r);
    return r;
}

static void on_join(struct csp_keep *k, const struct csp_keep_msg *msg, int node, uint64_t now_ns)
{
    struct csp_keeper **at = find_keeper(k, msg->gid), *r = *at;
    if (!r)
        *at = r = make(k, msg, now_ns);
    struct member *m = csp_keep_calloc(sizeof(*m));
    *m = (struct member){.node = node, .number = r->nmembers, .closed = r->changing};
    csp_keep_put(&r->members, node, m);
    r->nmembers++;
    if (r->changing)
        r->nclosed++;
    else
        open_to(k, r, m);
}

static struct member *find_member(const struct csp_keeper *r, int node)
{
    struct member *m = csp_keep_of(&r->members, node);
    CSP_CHECK(m, "window %llx: node %d is no member of its route", (unsigned long long)r->gid,
              node);
    return m;
}

// The last member is told when the conductor knows that there is nothing more to keep.
static void quit(struct csp_keep *k, struct csp_keeper *r, struct member *last, uint64_t now_ns)
{
    r->changing = r->owes = 0;
    csp_adapt_decide(&r->adapt, now_ns, r->done, 0);
    if (!r->leavers)
        tell_conductor(k, r, CSP_KEEP_QUIT);
    last->next = r->leavers;
    r->leavers = last;
}

static void on_leave(struct csp_keep *k, struct csp_keeper *r, int node, uint64_t now_ns)
{
    struct member *m = find_member(r, node);
    csp_keep_put(&r->members, node, NULL);
    r->nmembers--;
    r->nclosed -= m->closed;
    r->users -= m->users;
    r->heard -= m->users > 0;
    if (r->nmembers == 0) {
        quit(k, r, m, now_ns);
        return;
    }
    free(m);
    to_agent(k, r, node, CSP_KEEP_LEFT);
    if (r->changing)
        finish_change(k, r, now_ns);
}

static void on_bye(struct csp_keep *k, struct csp_keeper **at)
{
    struct csp_keeper *r = *at;
    while (r->leavers) {
        struct member *m = r->leavers;
        r->leavers = m->next;
        to_agent(k, r, m->node, CSP_KEEP_LEFT);
        free(m);
    }
    if (r->nmembers > 0) {
        enrol(k, r);
        return;
    }
    *at = r->next;
    free((void *)r->members.of);
    free(r);
}

// The time that one user waited, on average.
static void on_work(struct csp_keep *k, struct csp_keeper *r, int from,
                    const struct csp_keep_msg *msg, uint64_t now_ns)
{
    struct member *m = find_member(r, from);
    r->users = r->users - m->users + msg->users;
    r->heard += m->users == 0;
    m->users = msg->users;
    uint64_t users = users_of(r);
    r->work_ns = now_ns;
    r->done.units += msg->n;
    r->done.calls += msg->calls;
    r->rest_ns += msg->waited_ns;
    r->done.ns += r->rest_ns / users;
    r->rest_ns %= users;
    r->adapt.least_ns = 1.0 / (double)users;
    r->adapt.config.interval_calls = k->config.adapt.interval_calls * share_of(r);
    decide(k, r, now_ns);
}

static void on_closed(struct csp_keep *k, struct csp_keeper *r, int from, uint64_t change,
                      uint64_t now_ns)
{
    if (!r->changing || change != r->change)
        return; // given up meanwhile
    find_member(r, from)->closed = 1;
    r->nclosed++;
    finish_change(k, r, now_ns);
}

void csp_keeper_receive(struct csp_keep *k, int from, const struct csp_keep_msg *msg,
                        uint64_t now_ns)
{
    struct csp_keeper **at = find_keeper(k, msg->gid), *r = *at;
    if (msg->kind == CSP_KEEP_JOIN) {
        on_join(k, msg, from, now_ns);
        return;
    }
    CSP_CHECK(r, "window %llx: its route is not kept here", (unsigned long long)msg->gid);
    switch (msg->kind) {
    case CSP_KEEP_LEAVE:
        on_leave(k, r, from, now_ns);
        break;
    case CSP_KEEP_WORK:
        on_work(k, r, from, msg, now_ns);
        break;
    case CSP_KEEP_CLOSED:
        on_closed(k, r, from, msg->n, now_ns);
        break;
    case CSP_KEEP_PROBE:
        on_probe(k, r, msg, now_ns);
        break;
    case CSP_KEEP_DECIDE:
        on_decide(k, r, msg->n, now_ns);
        break;
    default:
        on_bye(k, at);
        break;
    }
}

int csp_keeper_turn(struct csp_keep *k, struct csp_keeper *first, uint64_t now_ns)
{
    int done = 0;
    for (struct csp_keeper *r = first; r; r = r->next)
        if (r->changing && now_ns >= r->give_up_ns) {
            give_up(k, r, now_ns);
            done = 1;
        } else if (r->changing) {
            csp_keep_look_at(k, r->give_up_ns);
        }
    return done;
}
