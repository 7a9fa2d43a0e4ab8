// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "shm/bell.h"

#include <limits.h>
#include "shm/futex.h"

void csp_bell_sleep_shared(struct csp_bell *bell, uint32_t seen, uint64_t ns)
{
    if (ns > 0 && csp_bell_rings(bell) == seen)
        csp_futex_wait(&bell->rings, seen, ns);
}

void csp_bell_sleep(struct csp_bell *bell, uint32_t seen, uint64_t ns)
{
    csp_bell_sleep_shared(bell, seen, ns);
    csp_bell_answer(bell);
}

// Whoever takes the flag down must ring, and only after that: the owner then finds `rings` changed
// since csp_bell_seen, so the one time that others no longer see the flag it does not fall asleep.
int csp_bell_wake(struct csp_bell *bell)
{
    if (!atomic_exchange_explicit(&bell->sleeping, CSP_BELL_AWAKE, memory_order_acq_rel))
        return 0;
    /* release: pairs with the load in csp_bell_rings */
    atomic_fetch_add_explicit(&bell->rings, 1, memory_order_release);
    csp_futex_wake(&bell->rings, INT_MAX);
    return 1;
}
