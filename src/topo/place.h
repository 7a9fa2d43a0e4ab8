// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Where a ghost runs. Linux only; anything that fails leaves the affinity as it was.
#ifndef CSP_TOPO_PLACE_H
#define CSP_TOPO_PLACE_H

#include <stdint.h>
#include "base/status.h"

enum { CSP_PLACE_CPUS_MAX = 4096 };

// A set of CPUs as plain data, for MPI reductions.
struct csp_place_mask {
    uint64_t words[CSP_PLACE_CPUS_MAX / 64];
};

/** CPUs that this process may run on (its affinity mask). */
void csp_place_mask(struct csp_place_mask *out);

/** Number of CPUs in a set. */
int csp_place_count(const struct csp_place_mask *mask);

/** The same number for all processes under one kernel, whatever host names and nodes they see. */
uint64_t csp_place_machine(void);

/**
 * Restricts the calling ghost to the NUMA domain number gidx % domains of those its affinity mask
 * reaches (hwloc when built with it, /sys otherwise), so that each domain has a ghost of its own.
 * Does nothing if the mask already lies within one domain. `text` says in a few words what was
 * done. Failure (CSP_ERR_SYS, CSP_ERR_PERM) is for information only: the ghost runs where it was.
 */
enum csp_status csp_place_ghost(int gidx, int ng, char *text, unsigned text_bytes) CSP_MUST_CHECK;

/**
 * Asks the scheduler for short time slices (Linux 6.12 and later; no effect elsewhere): a ghost
 * that wakes up then takes a core from a computing user at once instead of waiting for its slice to
 * end, and gets no more time in all.
 */
void csp_place_short_slice(void);

#endif
