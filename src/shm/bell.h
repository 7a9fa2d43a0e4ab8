// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Doorbell: a process of the node sleeps on a futex word in the segment with a time limit; others ring.
// One sleeper a bell (a ghost), any number of ringers. A ring before the sleep is not lost.
#ifndef CSP_SHM_BELL_H
#define CSP_SHM_BELL_H

#include <stdatomic.h>
#include <stdint.h>

struct csp_bell {
    _Atomic uint32_t rings;    // counts rings; the futex word
    _Atomic uint32_t sleeping; // 1 while the owner sleeps or is about to
};

/** Sleeps until rung since `seen` (a value of csp_bell_seen) or for at most `ns`. */
void csp_bell_sleep(struct csp_bell *bell, uint32_t seen, uint64_t ns);

/** Take this before looking for work; pass it to csp_bell_sleep when there was none. */
static inline uint32_t csp_bell_seen(struct csp_bell *bell)
{
    return atomic_load_explicit(&bell->rings, memory_order_acquire);
}

void csp_bell_wake(struct csp_bell *bell); // the slow half of csp_bell_ring

/** One load and one fence when the owner is awake, a system call when it sleeps. */
static inline void csp_bell_ring(struct csp_bell *bell)
{
    atomic_thread_fence(memory_order_seq_cst); // pairs with the fence in csp_bell_sleep
    if (atomic_load_explicit(&bell->sleeping, memory_order_relaxed))
        csp_bell_wake(bell);
}

#endif
