// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "adapt/keep_impl.h"

#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/log.h"

enum { LOOKS = 64 }; // in an interval, at most

void *csp_keep_calloc(size_t bytes)
{
    void *p = calloc(1, bytes);
    CSP_CHECK(p, "out of memory for the route of a window");
    return p;
}

void csp_keep_put(struct csp_keep_nodes *x, int node, void *what)
{
    if (node >= x->room) {
        int room = 2 * node + 8;
        void **of = realloc((void *)x->of, (size_t)room * sizeof(*of));
        CSP_CHECK(of, "out of memory for the route of a window");
        memset((void *)(of + x->room), 0, (size_t)(room - x->room) * sizeof(*of));
        *x = (struct csp_keep_nodes){of, room};
    }
    x->of[node] = what;
}

void *csp_keep_next(const struct csp_keep_nodes *x, int *node)
{
    void *what = NULL;
    while (!what && *node < x->room)
        what = x->of[(*node)++];
    return what;
}

unsigned csp_keep_bucket(uint64_t gid, int node)
{
    return (csp_hash(gid, 24) + (unsigned)node) % CSP_KEEP_BUCKETS;
}

void csp_keep_post(struct csp_keep *k, int to_node, const struct csp_keep_msg *msg)
{
    k->config.send(k->config.ctx, to_node, msg);
}

// At times that all routes have in common, so that looks are few.
void csp_keep_look_at(struct csp_keep *k, uint64_t ns)
{
    uint64_t grid_ns = k->sampling.grid_ns;
    if (ns < k->look_at_ns)
        k->look_at_ns = (ns + grid_ns - 1) / grid_ns * grid_ns;
}

struct csp_keep *csp_keep_new(const struct csp_keep_config *config)
{
    struct csp_keep *k = csp_keep_calloc(sizeof(*k));
    k->config = *config;
    k->config.adapt.by_order = 1;
    k->sampling.grid_ns = config->adapt.interval_ns / LOOKS + 1;
    k->look_at_ns = UINT64_MAX;
    return k;
}

void csp_keep_receive(struct csp_keep *k, int from_node, const struct csp_keep_msg *msg,
                      uint64_t now_ns)
{
    switch (msg->kind) {
    case CSP_KEEP_OPEN:
    case CSP_KEEP_CLOSE:
    case CSP_KEEP_LEFT:
        csp_agent_receive(k, msg, now_ns);
        break;
    case CSP_KEEP_ENROL:
    case CSP_KEEP_QUIT:
    case CSP_KEEP_WANT:
    case CSP_KEEP_TRIED:
        csp_conductor_receive(k, msg, now_ns);
        break;
    default:
        csp_keeper_receive(k, from_node, msg, now_ns);
        break;
    }
}

int csp_keep_turn(struct csp_keep *k, uint64_t now_ns)
{
    int done = csp_agents_close(k);
    if (now_ns < k->look_at_ns)
        return done;
    k->look_at_ns = UINT64_MAX;
    done |= csp_agents_sample(k, now_ns);
    for (int i = 0; i < CSP_KEEP_BUCKETS; i++) // few: one of each kind for a window
        done |= csp_keeper_turn(k, k->keepers[i], now_ns) |
                csp_conductor_turn(k, k->conductors[i], now_ns);
    return done;
}

void csp_keep_free(struct csp_keep *k)
{
    for (int i = 0; i < CSP_KEEP_BUCKETS; i++)
        CSP_CHECK(!k->agents[i] && !k->keepers[i] && !k->conductors[i],
                  "a route is in use at the end");
    CSP_CHECK(!k->closing && csp_wheel_next_ns(&k->sampling) == UINT64_MAX,
              "an agent of a route that is gone waits");
    free(k);
}
