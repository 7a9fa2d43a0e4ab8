// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// NUMA domains by hwloc, which also knows machines where /sys is not mounted or tells too little.
#include "topo/domain.h"

#include <hwloc.h>

static int reach(hwloc_const_cpuset_t domain, const union csp_cpus *mask, union csp_cpus *here)
{
    int count = 0;
    CPU_ZERO_S(sizeof *here, &here->set);
    for (int i = hwloc_bitmap_first(domain); i >= 0 && i < CSP_CPUS_MAX;
         i = hwloc_bitmap_next(domain, i)) {
        if (!CPU_ISSET_S(i, sizeof *mask, &mask->set))
            continue;
        CPU_SET_S(i, sizeof *here, &here->set);
        count++;
    }
    return count;
}

int csp_domain_find_hwloc(const union csp_cpus *mask, int want, union csp_cpus *cpus)
{
    hwloc_topology_t topology;
    union csp_cpus here;
    int found = 0;
    if (hwloc_topology_init(&topology))
        return 0;
    if (hwloc_topology_load(topology) == 0) {
        hwloc_obj_t node = NULL;
        while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)))
            if (reach(node->cpuset, mask, &here) && found++ == want)
                *cpus = here;
    }
    hwloc_topology_destroy(topology);
    return found;
}
