// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The three roles of a ghost in adapt/keep.h, and what they share. Only for src/adapt/keep*.c.
#ifndef CSP_ADAPT_KEEP_IMPL_H
#define CSP_ADAPT_KEEP_IMPL_H

#include <stddef.h>
#include "adapt/keep.h"
#include "adapt/wheel.h"

enum { CSP_KEEP_BUCKETS = 64 };

struct csp_agent;
struct csp_keeper;
struct csp_conductor;

struct csp_keep {
    struct csp_keep_config config;
    struct csp_agent *agents[CSP_KEEP_BUCKETS];
    struct csp_keeper *keepers[CSP_KEEP_BUCKETS];
    struct csp_conductor *conductors[CSP_KEEP_BUCKETS];
    struct csp_timed *closing; // agents that wait for gates: in each turn
    struct csp_wheel sampling; // agents that report
    uint64_t look_at_ns;       // when there is something else to do next
};

/** The times of small intervals are bounded from below. */
static inline uint64_t csp_keep_at_least(uint64_t ns, uint64_t least_ns)
{
    return ns > least_ns ? ns : least_ns;
}

/** What is known of some nodes. */
struct csp_keep_nodes {
    void **of;
    int room;
};

/** NULL: nothing. */
static inline void *csp_keep_of(const struct csp_keep_nodes *x, int node)
{
    return node < x->room ? x->of[node] : NULL;
}

void csp_keep_put(struct csp_keep_nodes *x, int node, void *what);

/** Of the first one from *node on, which is the one behind it then; NULL: there is none. */
void *csp_keep_next(const struct csp_keep_nodes *x, int *node);

void *csp_keep_calloc(size_t bytes);
unsigned csp_keep_bucket(uint64_t gid, int node);
void csp_keep_post(struct csp_keep *k, int to_node, const struct csp_keep_msg *msg);
void csp_keep_look_at(struct csp_keep *k, uint64_t ns);

// Each: a message for the role; a turn (agents: of those that wait, of those that are due), @return 1 if something was done.
void csp_agent_receive(struct csp_keep *k, const struct csp_keep_msg *msg, uint64_t now_ns);
int csp_agents_close(struct csp_keep *k);
int csp_agents_sample(struct csp_keep *k, uint64_t now_ns);
void csp_keeper_receive(struct csp_keep *k, int from, const struct csp_keep_msg *msg,
                        uint64_t now_ns);
int csp_keeper_turn(struct csp_keep *k, struct csp_keeper *first, uint64_t now_ns);
void csp_conductor_receive(struct csp_keep *k, const struct csp_keep_msg *msg, uint64_t now_ns);
int csp_conductor_turn(struct csp_keep *k, struct csp_conductor *first, uint64_t now_ns);

#endif
