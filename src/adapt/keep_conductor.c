// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "adapt/keep_impl.h"

#include <stdlib.h>
#include "base/log.h"

struct player {
    struct player *next;
    int node;
    int wants[CSP_ADAPT_ROUTES];
};

struct csp_conductor {
    struct csp_conductor *next;
    uint64_t gid;
    struct player *players;
    int nplayers, nwants[CSP_ADAPT_ROUTES];
    uint64_t begin_ns[CSP_ADAPT_ROUTES]; // at the latest, if one wants
};

static struct csp_conductor **find(struct csp_keep *k, uint64_t gid)
{
    struct csp_conductor **at = &k->conductors[csp_keep_bucket(gid, 0)];
    while (*at && (*at)->gid != gid)
        at = &(*at)->next;
    return at;
}

static void tell(struct csp_keep *k, const struct csp_conductor *c, int node,
                 enum csp_keep_kind kind, uint64_t route)
{
    struct csp_keep_msg msg = {.gid = c->gid, .node = node, .kind = (uint16_t)kind, .n = route};
    csp_keep_post(k, node, &msg);
}

static void begin(struct csp_keep *k, struct csp_conductor *c, uint64_t route)
{
    c->nwants[route] = 0;
    for (struct player *p = c->players; p; p = p->next) {
        p->wants[route] = 0;
        tell(k, c, p->node, CSP_KEEP_PROBE, route);
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
    *p = (struct player){.next = c->players, .node = msg->node};
    c->players = p;
    c->nplayers++;
}

static struct player **find_player(struct csp_conductor *c, int node)
{
    struct player **at = &c->players;
    while ((*at)->node != node)
        at = &(*at)->next;
    return at;
}

static void quit(struct csp_keep *k, struct csp_conductor **at, int node)
{
    struct csp_conductor *c = *at;
    struct player **found = find_player(c, node), *p = *found;
    *found = p->next;
    c->nplayers--;
    for (int i = 0; i < CSP_ADAPT_ROUTES; i++)
        c->nwants[i] -= p->wants[i];
    free(p);
    tell(k, c, node, CSP_KEEP_BYE, 0);
    if (c->players)
        return;
    *at = c->next;
    free(c);
}

// Most of the keepers are enough: others may have nothing to do, or are at that route already.
static void want(struct csp_keep *k, struct csp_conductor *c, const struct csp_keep_msg *msg,
                 uint64_t now_ns)
{
    struct player *p = *find_player(c, msg->node);
    uint64_t route = msg->n % CSP_ADAPT_ROUTES;
    if (c->nwants[route] == 0 || now_ns + msg->patience_ns < c->begin_ns[route])
        c->begin_ns[route] = now_ns + msg->patience_ns;
    c->nwants[route] += !p->wants[route];
    p->wants[route] = 1;
    if (2 * c->nwants[route] > c->nplayers)
        begin(k, c, route);
    else
        csp_keep_look_at(k, c->begin_ns[route]);
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
        quit(k, at, msg->node);
    else
        want(k, *at, msg, now_ns);
}

static int turn(struct csp_keep *k, struct csp_conductor *c, uint64_t route, uint64_t now_ns)
{
    if (c->nwants[route] == 0)
        return 0;
    if (now_ns >= c->begin_ns[route]) {
        begin(k, c, route);
        return 1;
    }
    csp_keep_look_at(k, c->begin_ns[route]);
    return 0;
}

int csp_conductor_turn(struct csp_keep *k, struct csp_conductor *first, uint64_t now_ns)
{
    int done = 0;
    for (struct csp_conductor *c = first; c; c = c->next)
        for (uint64_t route = 0; route < CSP_ADAPT_ROUTES; route++)
            done |= turn(k, c, route, now_ns);
    return done;
}
