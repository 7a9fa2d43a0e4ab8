// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// NUMA domains as the kernel tells them: nodeN/cpulist, N from the list in `online`.
#include "topo/domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int csp_domain_parse(const char *list, union csp_cpus *cpus)
{
    CPU_ZERO_S(sizeof *cpus, &cpus->set);
    while (*list && *list != '\n') {
        char *end;
        unsigned long lo = strtoul(list, &end, 10), hi = lo;
        if (end == list)
            return -1;
        if (*end == '-') {
            list = end + 1;
            hi = strtoul(list, &end, 10);
            if (end == list)
                return -1;
        }
        if (hi < lo || hi >= CSP_CPUS_MAX || (*end && *end != ',' && *end != '\n'))
            return -1;
        for (unsigned long i = lo; i <= hi; i++)
            CPU_SET_S(i, sizeof *cpus, &cpus->set);
        list = end + (*end == ',');
    }
    return 0;
}

// A list in a file; -1 if there is none.
static int read_list(const char *path, union csp_cpus *cpus)
{
    FILE *f = fopen(path, "re");
    if (!f)
        return -1;
    char *text = NULL;
    size_t room_bytes = 0;
    int status = getline(&text, &room_bytes, f) > 0 ? csp_domain_parse(text, cpus) : -1;
    free(text);
    fclose(f);
    return status;
}

int csp_domain_find_sys(const char *dir, const union csp_cpus *mask, int want, union csp_cpus *cpus)
{
    union csp_cpus online, here; // `online` holds numbers of domains
    char path[256];
    int found = 0;
    snprintf(path, sizeof path, "%s/online", dir);
    if (read_list(path, &online))
        return 0;
    for (int node = 0; node < CSP_CPUS_MAX; node++) {
        if (!CPU_ISSET_S(node, sizeof online, &online.set))
            continue;
        snprintf(path, sizeof path, "%s/node%d/cpulist", dir, node);
        if (read_list(path, &here))
            continue;
        CPU_AND_S(sizeof here, &here.set, &here.set, &mask->set);
        if (CPU_COUNT_S(sizeof here, &here.set) == 0)
            continue; // memory only, or out of reach
        if (found++ == want)
            *cpus = here;
    }
    return found;
}
