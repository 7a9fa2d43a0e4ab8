// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The gate of one user for one window and one target node: whether it has accumulates under way there, and by
// which route operations go. In shared memory; the user on one side, a ghost of its node on the other
// (adapt/keep.h). A ghost changes the route of accumulates only of a gate that is closed; a closed gate is
// one with nothing under way. docs/design/adaptive.md.
#ifndef CSP_ADAPT_GATE_H
#define CSP_ADAPT_GATE_H

#include <stdatomic.h>
#include <stdint.h>

struct csp_gate {
    _Atomic uint64_t word;
    // What the user completed, of any kind, in how many flushes, and how long it waited in them; how long for a
    // change of the route is not in it.
    _Atomic uint64_t units, calls, waited_ns;
    _Atomic uint64_t waits_since_ns; // a flush that goes on; 0: none
};

// The word: flags, how many threads are issuing an accumulate now, how many were issued since it was idle.
enum {
    CSP_GATE_CLOSED = 1,  // accumulates must wait
    CSP_GATE_WANTED = 2,  // to be closed when idle
    CSP_GATE_ACC_OFF = 4, // accumulates go to the target itself
    CSP_GATE_OFF = 8,     // PUT and GET do
    CSP_GATE_GONE = 16,   // the ghost does not look at it any more
    CSP_GATE_FLAGS = 0xff,
    CSP_GATE_ISSUING = 1 << 8,
    CSP_GATE_ONE = 1 << 24
};

/** A gate that is closed. */
static inline void csp_gate_init(struct csp_gate *g)
{
    atomic_store_explicit(&g->units, 0, memory_order_relaxed);
    atomic_store_explicit(&g->calls, 0, memory_order_relaxed);
    atomic_store_explicit(&g->waited_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&g->waits_since_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&g->word, CSP_GATE_CLOSED, memory_order_release);
}

/** Flags and counts, as they are now. */
static inline uint64_t csp_gate_look(const struct csp_gate *g)
{
    return atomic_load_explicit(&g->word, memory_order_acquire);
}

// ---- user

/** Before an accumulate is issued. @return 1: the route holds until it was flushed; 0: closed. */
static inline int csp_gate_enter(struct csp_gate *g)
{
    uint64_t old = atomic_fetch_add_explicit(&g->word, CSP_GATE_ISSUING, memory_order_acq_rel);
    if (!(old & CSP_GATE_CLOSED))
        return 1;
    atomic_fetch_sub_explicit(&g->word, CSP_GATE_ISSUING, memory_order_relaxed);
    return 0;
}

/** After it was issued. */
static inline void csp_gate_issued(struct csp_gate *g)
{
    atomic_fetch_add_explicit(&g->word, CSP_GATE_ONE - CSP_GATE_ISSUING, memory_order_release);
}

static inline uint64_t csp_gate_closed(uint64_t word)
{
    return (word & ~(uint64_t)CSP_GATE_WANTED) | CSP_GATE_CLOSED;
}

// One that is idle is closed, if it was to be.
static inline uint64_t csp_gate_settled(uint64_t word)
{
    int now = word < CSP_GATE_ISSUING && (word & CSP_GATE_WANTED);
    return now ? csp_gate_closed(word) : word;
}

/** Instead of csp_gate_issued, after one that is complete. @return 1: a ghost waits for the gate, which is closed now. */
static inline int csp_gate_done(struct csp_gate *g)
{
    uint64_t now = atomic_load_explicit(&g->word, memory_order_relaxed), next;
    do
        next = csp_gate_settled(now - CSP_GATE_ISSUING);
    while (!atomic_compare_exchange_weak_explicit(&g->word, &now, next, memory_order_acq_rel,
                                                  memory_order_relaxed));
    return (next & CSP_GATE_CLOSED) != 0;
}

/** After a flush of all accumulates that were issued when `seen` was looked at, unless there are newer ones.
 * @return 1 if it is idle; 0: there are newer ones, or some are being issued. */
static inline int csp_gate_leave(struct csp_gate *g, uint64_t seen)
{
    uint64_t now = atomic_load_explicit(&g->word, memory_order_relaxed), next;
    do {
        if (now / CSP_GATE_ONE != seen / CSP_GATE_ONE)
            return 0;
        next = csp_gate_settled(now % CSP_GATE_ONE);
    } while (!atomic_compare_exchange_weak_explicit(&g->word, &now, next, memory_order_acq_rel,
                                                    memory_order_relaxed));
    return next < CSP_GATE_ISSUING;
}

/** A flush of what was issued, with csp_gate_waited behind it. */
static inline void csp_gate_wait(struct csp_gate *g, uint64_t now_ns)
{
    atomic_store_explicit(&g->waits_since_ns, now_ns, memory_order_relaxed);
}

static inline void csp_gate_waited(struct csp_gate *g, uint64_t since_ns, uint64_t now_ns,
                                   uint64_t units)
{
    atomic_fetch_add_explicit(&g->waited_ns, now_ns - since_ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&g->units, units, memory_order_relaxed);
    atomic_fetch_add_explicit(&g->calls, 1, memory_order_relaxed);
    atomic_store_explicit(&g->waits_since_ns, 0, memory_order_release);
}

// ---- ghost

/** How long the user has waited until now, in a flush that is not over too. */
static inline uint64_t csp_gate_waited_until_ns(const struct csp_gate *g, uint64_t now_ns)
{
    uint64_t since_ns = atomic_load_explicit(&g->waits_since_ns, memory_order_acquire);
    uint64_t more_ns = since_ns && since_ns < now_ns ? now_ns - since_ns : 0;
    return atomic_load_explicit(&g->waited_ns, memory_order_relaxed) + more_ns;
}

/** Closes an idle gate; one that is not is closed when it is. @return 1 if it is closed. */
static inline int csp_gate_close(struct csp_gate *g)
{
    uint64_t now = atomic_load_explicit(&g->word, memory_order_relaxed), next;
    do {
        if (now & CSP_GATE_CLOSED)
            break;
        next = now >= CSP_GATE_ISSUING ? now | CSP_GATE_WANTED : csp_gate_closed(now);
    } while (!atomic_compare_exchange_weak_explicit(&g->word, &now, next, memory_order_acq_rel,
                                                    memory_order_relaxed));
    return (csp_gate_look(g) & CSP_GATE_CLOSED) != 0;
}

/** Opens it, with a route (CSP_GATE_ACC_OFF, CSP_GATE_OFF); that of accumulates changes only if it is closed. */
static inline void csp_gate_open(struct csp_gate *g, uint32_t route)
{
    uint64_t now = atomic_load_explicit(&g->word, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&g->word, &now,
                                                  (now & ~(uint64_t)CSP_GATE_FLAGS) | route,
                                                  memory_order_acq_rel, memory_order_relaxed))
        ;
}

/** Changes the route of PUT and GET alone. */
static inline void csp_gate_turn(struct csp_gate *g, uint32_t route)
{
    if (route & CSP_GATE_OFF)
        atomic_fetch_or_explicit(&g->word, CSP_GATE_OFF, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(&g->word, ~(uint64_t)CSP_GATE_OFF, memory_order_relaxed);
}

/** The last thing that the ghost does with it. */
static inline void csp_gate_gone(struct csp_gate *g)
{
    atomic_store_explicit(&g->word, CSP_GATE_GONE, memory_order_release);
}

#endif
