// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The public query functions, see include/casper/casper.h. Any thread, any time.
#include "casper/casper.h"
#include <stddef.h>
#include "runtime/counters.h"
#include "runtime/rt.h"

const char *casper_version(void)
{
    return CASPER_VERSION_STRING;
}

int casper_active(void)
{
    return csp_rt.active;
}

int casper_ghosts_per_node(void)
{
    return csp_rt.active ? csp_rt.topo->ng : 0;
}

int casper_nodes(void)
{
    return csp_rt.active ? csp_rt.topo->nnodes : 0;
}

int casper_counter_get(int i, const char **name, unsigned long long *value)
{
    if (i < 0 || i >= csp_counters())
        return 0;
    if (name)
        *name = csp_counter_at(i)->name;
    if (value)
        *value = csp_counter_value(i);
    return 1;
}
