// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/changes.h"

#include "base/clock.h"
#include "runtime/node.h"
#include "runtime/rt.h"

void csp_change_note(struct csp_change c)
{
    struct csp_changes *all = &csp_rt.page->changes;
    uint64_t i = atomic_fetch_add_explicit(&all->count, 1, memory_order_relaxed);
    if (i >= CSP_CHANGES)
        return;
    c.ns = csp_clock_ns() - all->begin_ns;
    all->change[i] = c;
    atomic_store_explicit(&all->ready[i], 1, memory_order_release);
}
