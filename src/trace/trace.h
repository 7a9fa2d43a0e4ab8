// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Timeline of a node (CSP_TRACE): what its processes did between two looks at their counters, as trace events that
// Perfetto shows (https://ui.perfetto.dev). Pure code: counters and times in, text out. docs/design/trace.md.
#ifndef CSP_TRACE_TRACE_H
#define CSP_TRACE_TRACE_H

#include <stdint.h>
#include <stdio.h>
#include "base/status.h"
#include "trace/change.h"

// Counters of a process, since it began. Ghosts: `busy_ns` alone.
struct csp_trace_look {
    uint64_t mpi_ns, waited_ns; // user: in MPI; of that, in synchronisation of redirected windows
    uint64_t by_direct, by_ghost, by_target; // user: operations
    uint64_t busy_ns;
};

struct csp_trace_proc {
    int rank; // user: rank; ghost: index on the node
    int is_ghost;
};

struct csp_trace;

/** `procs`: those of the node, [n]. Times in the trace count from `begin_ns`. `out` is closed by csp_trace_end. */
struct csp_trace *csp_trace_begin(FILE *out, int node, const struct csp_trace_proc *procs, int n,
                                  uint64_t interval_ns, uint64_t begin_ns, uint64_t now_ns);

/** When to look next; the interval doubles again and again, so that a long run does not fill the disk. */
uint64_t csp_trace_due_ns(const struct csp_trace *t);

/** Counters of all processes, [n]. */
void csp_trace_step(struct csp_trace *t, uint64_t now_ns, const struct csp_trace_look *looks);

/** A change of redirection; its time counts from the same. */
void csp_trace_change(struct csp_trace *t, const struct csp_change *c);

/** So many later changes are not in it. */
void csp_trace_more_changes(struct csp_trace *t, uint64_t count);

/** Everything until now is in the file. */
void csp_trace_flush(struct csp_trace *t);

/** The last look. @return CSP_OK; CSP_ERR_SYS: not all of the trace could be written. */
enum csp_status csp_trace_end(struct csp_trace *t, uint64_t now_ns,
                              const struct csp_trace_look *looks);

#endif
