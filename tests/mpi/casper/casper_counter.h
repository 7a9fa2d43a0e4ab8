// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Counters by name, for programs that are linked to libcasper.
#ifndef CSP_TEST_CASPER_COUNTER_H
#define CSP_TEST_CASPER_COUNTER_H

#include "casper/casper.h"
#include "casper_only.h"

#define CASPER_NO_COUNTER (1ULL << 60)

static inline unsigned long long casper_counter(const char *wanted)
{
    const char *name;
    unsigned long long value;
    for (int i = 0; casper_counter_get(i, &name, &value); i++)
        if (strcmp(name, wanted) == 0)
            return value;
    return CASPER_NO_COUNTER;
}

/** Operations between nodes of this process so far, by their targets themselves and by ghosts. */
static inline unsigned long long casper_by_target(void)
{
    return casper_counter("casper_target_count");
}

static inline unsigned long long casper_by_ghost(void)
{
    return casper_counter("casper_ghost_net_count");
}

#endif
