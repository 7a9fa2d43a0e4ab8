// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A queue of offsets between two processes of a node: one puts, one takes, nobody waits. Zeroed memory
// is an empty ring.
#ifndef CSP_SHM_RING_H
#define CSP_SHM_RING_H

#include <stdatomic.h>
#include <stdint.h>

enum { CSP_RING_SLOTS = 1024 }; // a power of 2

struct csp_ring {
    _Alignas(64) _Atomic uint64_t taken; // by the taker
    _Alignas(64) _Atomic uint64_t put;   // by the putter
    uint64_t taken_seen;                 // the putter's: `taken` when it looked last
    _Atomic uint32_t rings;              // the putter wakes the taker up just now
    _Alignas(64) uint64_t slots[CSP_RING_SLOTS];
};

/** @return 1; 0: full. */
static inline int csp_ring_put(struct csp_ring *r, uint64_t off)
{
    uint64_t put = atomic_load_explicit(&r->put, memory_order_relaxed);
    if (put - r->taken_seen == CSP_RING_SLOTS) {
        /* acquire: pairs with the release in csp_ring_take; the slot was read */
        r->taken_seen = atomic_load_explicit(&r->taken, memory_order_acquire);
        if (put - r->taken_seen == CSP_RING_SLOTS)
            return 0;
    }
    r->slots[put % CSP_RING_SLOTS] = off;
    /* release: pairs with the acquire in csp_ring_take; the slot and what it points to */
    atomic_store_explicit(&r->put, put + 1, memory_order_release);
    return 1;
}

/** @return 1 and *off; 0: empty. */
static inline int csp_ring_take(struct csp_ring *r, uint64_t *off)
{
    uint64_t taken = atomic_load_explicit(&r->taken, memory_order_relaxed);
    if (taken == atomic_load_explicit(&r->put, memory_order_acquire))
        return 0;
    *off = r->slots[taken % CSP_RING_SLOTS];
    atomic_store_explicit(&r->taken, taken + 1, memory_order_release);
    return 1;
}

/** Whether all that was put has been taken. */
static inline int csp_ring_empty(struct csp_ring *r)
{
    return atomic_load_explicit(&r->put, memory_order_relaxed) ==
           atomic_load_explicit(&r->taken, memory_order_acquire);
}

#endif
