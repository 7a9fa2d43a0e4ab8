// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// NUMA domains as sets of CPUs.
#ifndef CSP_TOPO_DOMAIN_H
#define CSP_TOPO_DOMAIN_H

#include <sched.h>

enum { CSP_CPUS_MAX = 16384 };

// A cpu_set_t for large machines; use with CPU_*_S(sizeof ...).
union csp_cpus {
    cpu_set_t set;
    char room[CSP_CPUS_MAX / 8];
};

/**
 * How many NUMA domains have a CPU of `mask`; number `want` of them, counted from 0, less the CPUs
 * outside `mask`, goes to `cpus` (left alone if there are not so many). 0 if nothing is known.
 */
int csp_domain_find(const union csp_cpus *mask, int want, union csp_cpus *cpus);

/** The same, read from files as in /sys/devices/system/node, found under `dir`. */
int csp_domain_find_sys(const char *dir, const union csp_cpus *mask, int want,
                        union csp_cpus *cpus);

/** The same by hwloc; only in a build with it. */
int csp_domain_find_hwloc(const union csp_cpus *mask, int want, union csp_cpus *cpus);

/** Reads a list as "0-3,8" into `cpus`. Returns 0, or -1 if it is none. */
int csp_domain_parse(const char *list, union csp_cpus *cpus);

#endif
