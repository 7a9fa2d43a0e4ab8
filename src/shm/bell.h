// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Doorbell: a process of the node sleeps on a futex word in the segment with a time limit; others
// ring, any number of them. Sleepers are one (a ghost), or the threads of a process, of which all wake. A ring after csp_bell_seen is not
// lost:
//   owner   seen = csp_bell_seen -> looks for work, finds none -> csp_bell_sleep(seen)
//   ringer  publishes work       -> csp_bell_ring
// Either the owner's look finds the work or the ringer finds the flag up (a fence on both sides).
#ifndef CSP_SHM_BELL_H
#define CSP_SHM_BELL_H

#include <stdatomic.h>
#include <stdint.h>

struct csp_bell {
    _Atomic uint32_t rings; // counts rings; the futex word
    _Atomic uint32_t
        sleeping; // from csp_bell_seen to the next ring or the end of the sleep: enum csp_bell_how
};

enum csp_bell_how {
    CSP_BELL_AWAKE,
    CSP_BELL_NAPS,     // comes back soon by itself
    CSP_BELL_IS_CALLED // need not come back before it is rung: others may take its CPU
};

static inline uint32_t csp_bell_rings(struct csp_bell *bell)
{
    /* acquire: pairs with the release in csp_bell_wake */
    return atomic_load_explicit(&bell->rings, memory_order_acquire);
}

/**
 * The owner is about to sleep: take this before the last look for work and pass it to
 * csp_bell_sleep when there was none. Until then a ring costs the ringer a system call (the first
 * one only), so do not call it in every turn of a busy loop.
 */
static inline uint32_t csp_bell_seen(struct csp_bell *bell, enum csp_bell_how how)
{
    uint32_t seen = csp_bell_rings(bell); // before the flag goes up, see csp_bell_wake
    atomic_store_explicit(&bell->sleeping, how, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); // pairs with the fence in csp_bell_ring
    return seen;
}

/** The owner does not sleep after all. */
static inline void csp_bell_answer(struct csp_bell *bell)
{
    atomic_store_explicit(&bell->sleeping, CSP_BELL_AWAKE, memory_order_relaxed);
}

/** Sleeps until rung since `seen` (a value of csp_bell_seen) or for at most `ns`; may return early.
 */
void csp_bell_sleep(struct csp_bell *bell, uint32_t seen, uint64_t ns);

/** The same for a bell of several threads: the flag stays up for the others, so the next ring costs a system call. */
void csp_bell_sleep_shared(struct csp_bell *bell, uint32_t seen, uint64_t ns);

int csp_bell_wake(struct csp_bell *bell); // the slow half of csp_bell_ring

/**
 * After publishing work. One load and one fence when the owner is awake, a system call when not.
 * @return 1 if it was not.
 */
static inline int csp_bell_ring(struct csp_bell *bell)
{
    atomic_thread_fence(memory_order_seq_cst); // pairs with the fence in csp_bell_seen
    return atomic_load_explicit(&bell->sleeping, memory_order_relaxed) && csp_bell_wake(bell);
}

/** Whether its owner sleeps, or is about to, until it is rung; of a bell of several threads, whether one of them did. */
static inline int csp_bell_is_called(struct csp_bell *bell)
{
    return atomic_load_explicit(&bell->sleeping, memory_order_relaxed) == CSP_BELL_IS_CALLED;
}

#endif
