// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Who decides by which route operations of a window reach the targets of a node, for all origins: that node's
// first ghost is the *keeper* of the route, the first ghost of each origin's node is its *agent*. The keepers of a
// window try a route all at once, when its *conductor* says so, the first ghost of its first node: an origin that
// waits for all nodes is no faster before the last one is. docs/design/adaptive.md.
//
//   user        gate (shared memory)      agent            messages             keeper
//   units, time waited        read now and then ---- WORK -------------------> controller (adapt.h)
//                             PUT, GET: turned <---- CLOSE(route) ------------ another route, please
//   flush: idle, closed       closed when idle ----- CLOSED -----------------> all of them, or too late
//   waits, if it must         opened <-------------- OPEN(route) ------------- the new one, or the old one
//
//                                       keeper                       conductor
//                                       it is time ---- WANT ------> when enough of them do
//                                       probe <-------- PROBE ------ to all keepers
//                                       it shows ------ TRIED -----> when all do, or it lasts too long
//                                       a decision <--- DECIDE ----- to all keepers
//
// Pure code: no MPI, no clock. One thread (a ghost's loop).
#ifndef CSP_ADAPT_KEEP_H
#define CSP_ADAPT_KEEP_H

#include "adapt/adapt.h"
#include "adapt/gate.h"

enum csp_keep_kind {
    CSP_KEEP_JOIN,  // agent -> keeper: a user of my node wants to know the route
    CSP_KEEP_LEAVE, // agent -> keeper: none does any more
    // agent -> keeper: done since the last one, by a sample (n = units of work, calls, time that all `users` waited, in
    // calls that go on too)
    CSP_KEEP_WORK,
    CSP_KEEP_CLOSED, // agent -> keeper: change n: no accumulates under way, or they stay
    // keeper -> agent: the route; a sample takes n nanoseconds, of `users` times as many, the first one after `calls` times
    CSP_KEEP_OPEN,
    CSP_KEEP_CLOSE, // keeper -> agent: change n to this route
    CSP_KEEP_LEFT,  // keeper -> agent: answer to LEAVE; the last message
    CSP_KEEP_ENROL, // keeper -> conductor: the first message,
    CSP_KEEP_QUIT,  // and the last one
    CSP_KEEP_WANT, // keeper -> conductor: a probe of route n (enum csp_adapt_route) is due, which may wait for
                   // others that want it as long as patience_ns says
    CSP_KEEP_PROBE, // conductor -> keeper: try route n now, unless it is yours; `calls`: the how manieth probe
    CSP_KEEP_TRIED, // keeper -> conductor: it has, or can not (users = 0), in probe `calls`; it goes on with it. What it
                    // lost: waited_ns of each user of n nodes
    CSP_KEEP_DECIDE, // conductor -> keeper: all have: take the better one
    CSP_KEEP_BYE,    // conductor -> keeper: answer to QUIT; the last message
};

struct csp_keep_msg {
    uint64_t gid;   // window
    int32_t node;   // of its targets
    uint16_t kind;  // enum csp_keep_kind
    uint16_t route; // flags of a gate
    uint32_t users, calls;
    uint64_t n, waited_ns, patience_ns;
};

/** Sends to the first ghost of a node; messages from one to another arrive in order. */
typedef void (*csp_keep_send)(void *ctx, int to_node, const struct csp_keep_msg *msg);

/** A change of the chosen route is made, for whoever wants to tell it. The costs in `why` are parts of the time of each of
 * `users` users: so many times as much is what one waited for an operation. */
typedef void (*csp_keep_say)(void *ctx, uint64_t gid, const struct csp_adapt *why, uint64_t users);

struct csp_keep_config {
    struct csp_adapt_config adapt;
    int node; // own
    csp_keep_send send;
    csp_keep_say say;
    void *ctx;
};

struct csp_keep;

struct csp_keep *csp_keep_new(const struct csp_keep_config *config);
void csp_keep_free(struct csp_keep *k);

/** A user's gate, which is closed: opened when the route is known. `first`: the window's first node. */
void csp_keep_join(struct csp_keep *k, uint64_t gid, int node, int first, struct csp_gate *gate);

/** A user that has nothing under way needs its gate no longer: CSP_GATE_GONE when no message is on its way. */
void csp_keep_leave(struct csp_keep *k, uint64_t gid, int node, struct csp_gate *gate);

void csp_keep_receive(struct csp_keep *k, int from_node, const struct csp_keep_msg *msg,
                      uint64_t now_ns);

/** To be called often. @return 1 if something was done. */
int csp_keep_turn(struct csp_keep *k, uint64_t now_ns);

#endif
