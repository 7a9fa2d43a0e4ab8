// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// End-of-run report: counters of all nodes, as text (CSP_REPORT) and JSON (CSP_REPORT_FILE). User
// role, in MPI_Finalize. Collective over the users.
#ifndef CSP_REPORT_REPORT_H
#define CSP_REPORT_REPORT_H

#include <stdint.h>
#include <stdio.h>
#include "runtime/stats.h"
#include "trace/change.h"

// One node: the sum over its users, then one block per ghost.
struct csp_report_node {
    int64_t node, users;
    uint64_t changes;       // of redirection, also those that were not kept
    uint64_t begin_unix_ns; // what times of changes count from
    uint64_t pool_used_peak_bytes;
    struct csp_stats sum;
};

struct csp_report_change {
    struct csp_change change;
    int node; // that noted it
};

struct csp_report {
    int nnodes, ng, nusers;
    double seconds; // from MPI_Init to MPI_Finalize, on user rank 0
    char library[128];
    const struct csp_report_node *nodes;
    const struct csp_stats *ghosts; // [node index * ng + gidx]
    struct csp_report_node total;
    const struct csp_report_change *changes; // of redirection, by time
    int nchanges;
};

extern const char *const csp_report_ops[CSP_OP_KINDS];
extern const char *const csp_report_routes[CSP_ROUTES];
extern const char *const csp_report_waits[CSP_WAIT_KINDS];
extern const char *const csp_report_reasons[CSP_PLAIN_REASONS];
extern const char *const csp_report_meta[CSP_META_KINDS];
extern const char *const csp_report_carried[CSP_CARRIED_KINDS];
extern const char *const csp_report_changed_by[CSP_CHANGE_KINDS];

/** Start of the clock; in MPI_Init. */
void csp_report_start(void);

/** Gathers on user rank 0 and writes what was asked for. */
void csp_report_write(void);

void csp_report_text(FILE *out, const struct csp_report *r);
void csp_report_json(FILE *out, const struct csp_report *r);

/** The share that `part_ns` has in the life of a ghost's loop, 0..1. */
static inline double csp_report_share(const struct csp_stats *ghost,
                                      const _Atomic uint64_t *part_ns)
{
    uint64_t loop = csp_stats_get(&ghost->loop_ns);
    return loop ? (double)csp_stats_get(part_ns) / (double)loop : 0;
}

#endif
