// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// CPU time that control groups leave to their processes, as containers and batch systems limit it beside the affinity mask.
#ifndef CSP_TOPO_QUOTA_H
#define CSP_TOPO_QUOTA_H

#include <stdint.h>

// Plain data, for MPI messages.
struct csp_quota {
    int64_t cpus;   // at a time, rounded down, at least 1; 0: as many as there are
    uint64_t group; // who shares them: the same number in all processes that do
};

/**
 * The least quota of this process's control group and those above it. `own`: /proc/self/cgroup, `root`: where the hierarchies are
 * mounted, /sys/fs/cgroup; version 1 and 2. What cannot be read has no quota.
 */
struct csp_quota csp_quota_read(const char *own, const char *root);

/** CPUs of all of these processes together, where groups do not share the quota of one above them; 0: at least one of them has no quota. Reorders them. */
int64_t csp_quota_sum(struct csp_quota *quotas, int n);

#endif
