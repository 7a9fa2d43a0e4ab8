// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "adapt/keep_impl.h"

#include <stdlib.h>
#include "base/log.h"

struct player {
    int node;
    int wants[CSP_ADAPT_ROUTES];
    int tries; // in this probe
};

struct csp_conductor {
    struct csp_conductor *next;
    uint64_t gid;
    struct csp_keep_nodes players;
    int nplayers, nwants[CSP_ADAPT_ROUTES];
    uint64_t begin_ns[CSP_ADAPT_ROUTES]; // at the latest, if one wants
    uint32_t probe;                      // the how manieth
    int ntrying;                         // players of which it is not yet known what it shows
    uint64_t end_ns;                     // of it, at the latest; 0: none goes on
    double lost_ns;                      // by it, of all users' time, in units of a node's users
    uint64_t nodes;                      // the most that work with one player's
    uint64_t again_ns;                   // when what it lost is within the budget
};

enum {
    PROBE_INTERVALS = 8, // that a probe may last: some measurements, and a change of the route;
    LAST_INTERVALS =
        4,   // and since one half of the players wait for the other, where little is done
    FEW = 4, // players, of whom one may say that a probe is urgent
    LEAST_PROBE_NS = 20000000 // ghosts may be asleep
};

static struct csp_conductor **find(struct csp_keep *k, uint64_t gid)
{
    struct csp_conductor **at = &k->conductors[csp_keep_bucket(gid, 0)];
    while (*at && (*at)->gid != gid)
        at = &(*at)->next;
    return at;
}

static void tell(struct csp_keep *k, const struct csp_conductor *c, int node,
                 enum csp_keep_kind kind, uint64_t n)
{
    struct csp_keep_msg msg = {
        .gid = c->gid, .node = node, .kind = (uint16_t)kind, .calls = c->probe, .n = n};
    csp_keep_post(k, node, &msg);
}

static uint64_t intervals_ns(const struct csp_keep *k, uint64_t n)
{
    return csp_keep_at_least(n * k->config.adapt.interval_ns, LEAST_PROBE_NS);
}

static void begin(struct csp_keep *k, struct csp_conductor *c, uint64_t route, uint64_t now_ns)
{
    c->nwants[route] = 0;
    c->probe++;
    c->ntrying = c->nplayers;
    c->lost_ns = 0;
    c->end_ns = now_ns + intervals_ns(k, PROBE_INTERVALS);
    csp_keep_look_at(k, c->end_ns);
    struct player *p;
    for (int node = 0; (p = csp_keep_next(&c->players, &node));) {
        p->wants[route] = 0;
        p->tries = 1;
        tell(k, c, p->node, CSP_KEEP_PROBE, route);
    }
}

// What a user of the window lost, on average: at all players' targets. There are as many nodes as players, or more.
static double lost_ns(const struct csp_conductor *c)
{
    uint64_t players = (uint64_t)c->nplayers, nodes = players > c->nodes ? players : c->nodes;
    return c->lost_ns / (double)nodes;
}

static void decide(struct csp_keep *k, struct csp_conductor *c, uint64_t now_ns)
{
    c->ntrying = 0;
    c->end_ns = 0;
    c->again_ns = now_ns + (uint64_t)(lost_ns(c) / k->config.adapt.budget);
    csp_keep_look_at(k, now_ns); // others may have waited for it
    struct player *p;
    for (int node = 0; (p = csp_keep_next(&c->players, &node));) {
        p->tries = 0;
        tell(k, c, p->node, CSP_KEEP_DECIDE, (uint64_t)lost_ns(c));
    }
}

// One that measured for longer than others would measure something else, if those went back meanwhile. `took_part`: others
// need about as long as this one did.
static void tried(struct csp_keep *k, struct csp_conductor *c, struct player *p, int took_part,
                  uint64_t now_ns)
{
    uint64_t last_ns = now_ns + intervals_ns(k, LAST_INTERVALS);
    c->ntrying -= p->tries;
    p->tries = 0;
    if (!c->end_ns)
        return;
    if (c->ntrying == 0) {
        decide(k, c, now_ns);
    } else if (took_part && 2 * c->ntrying <= c->nplayers && last_ns < c->end_ns) {
        c->end_ns = last_ns;
        csp_keep_look_at(k, last_ns);
    }
}

static void enrol(struct csp_conductor **at, const struct csp_keep_msg *msg)
{
    struct csp_conductor *c = *at;
    if (!c) {
        *at = c = csp_keep_calloc(sizeof(*c));
        c->gid = msg->gid;
    }
    struct player *p = csp_keep_calloc(sizeof(*p));
    *p = (struct player){.node = msg->node};
    csp_keep_put(&c->players, p->node, p);
    c->nplayers++;
}

static void quit(struct csp_keep *k, struct csp_conductor **at, int node, uint64_t now_ns)
{
    struct csp_conductor *c = *at;
    struct player *p = csp_keep_of(&c->players, node);
    csp_keep_put(&c->players, node, NULL);
    c->nplayers--;
    for (int i = 0; i < CSP_ADAPT_ROUTES; i++)
        c->nwants[i] -= p->wants[i];
    tell(k, c, node, CSP_KEEP_BYE, 0);
    if (c->nplayers > 0) {
        tried(k, c, p, 0, now_ns);
    } else {
        *at = c->next;
        free((void *)c->players.of);
        free(c);
    }
    free(p);
}

// Of many keepers always some see what looks like another phase and is noise, and a probe costs the users of all: what some
// want comes when the last one's loss is within the budget.
static uint64_t due_ns(const struct csp_conductor *c, uint64_t route)
{
    int waits = c->nplayers > FEW && c->begin_ns[route] < c->again_ns;
    return waits ? c->again_ns : c->begin_ns[route];
}

static int is_due(const struct csp_conductor *c, uint64_t route, uint64_t now_ns)
{
    return !c->end_ns && c->nwants[route] > 0 &&
           (2 * c->nwants[route] > c->nplayers || now_ns >= due_ns(c, route));
}

// Most of the keepers are enough: others may have nothing to do, or are at that route already.
static void want(struct csp_keep *k, struct csp_conductor *c, const struct csp_keep_msg *msg,
                 uint64_t now_ns)
{
    struct player *p = csp_keep_of(&c->players, msg->node);
    uint64_t route = msg->n % CSP_ADAPT_ROUTES;
    if (c->nwants[route] == 0 || now_ns + msg->patience_ns < c->begin_ns[route])
        c->begin_ns[route] = now_ns + msg->patience_ns;
    c->nwants[route] += !p->wants[route];
    p->wants[route] = 1;
    if (is_due(c, route, now_ns))
        begin(k, c, route, now_ns);
    else
        csp_keep_look_at(k, due_ns(c, route));
}

static void note_loss(struct csp_conductor *c, const struct csp_keep_msg *msg)
{
    c->lost_ns += (double)msg->waited_ns * (double)msg->n;
    if (msg->n > c->nodes)
        c->nodes = msg->n;
}

void csp_conductor_receive(struct csp_keep *k, const struct csp_keep_msg *msg, uint64_t now_ns)
{
    struct csp_conductor **at = find(k, msg->gid);
    if (msg->kind == CSP_KEEP_ENROL) {
        enrol(at, msg);
        return;
    }
    CSP_CHECK(*at, "window %llx: its keepers are not known here", (unsigned long long)msg->gid);
    if (msg->kind == CSP_KEEP_QUIT)
        quit(k, at, msg->node, now_ns);
    else if (msg->kind == CSP_KEEP_TRIED && msg->calls == (*at)->probe) {
        note_loss(*at, msg);
        tried(k, *at, csp_keep_of(&(*at)->players, msg->node), msg->users > 0, now_ns);
    } else if (msg->kind == CSP_KEEP_WANT)
        want(k, *at, msg, now_ns);
}

static int turn(struct csp_keep *k, struct csp_conductor *c, uint64_t route, uint64_t now_ns)
{
    if (is_due(c, route, now_ns)) {
        begin(k, c, route, now_ns);
        return 1;
    }
    if (!c->end_ns && c->nwants[route] > 0)
        csp_keep_look_at(k, due_ns(c, route));
    return 0;
}

// @return 1 if the probe ends.
static int end(struct csp_keep *k, struct csp_conductor *c, uint64_t now_ns)
{
    if (!c->end_ns)
        return 0;
    if (now_ns >= c->end_ns) {
        decide(k, c, now_ns);
        return 1;
    }
    csp_keep_look_at(k, c->end_ns);
    return 0;
}

int csp_conductor_turn(struct csp_keep *k, struct csp_conductor *first, uint64_t now_ns)
{
    int done = 0;
    for (struct csp_conductor *c = first; c; c = c->next) {
        done |= end(k, c, now_ns);
        for (uint64_t route = 0; route < CSP_ADAPT_ROUTES; route++)
            done |= turn(k, c, route, now_ns);
    }
    return done;
}
