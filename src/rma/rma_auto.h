// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Redirection decided by measurement (CSP_ASYNC_CONFIG=auto): the user's side of the routes of a window, one for each
// node that it uses (adapt/gate.h); the first ghost of that node decides (adapt/keep.h).
// docs/design/adaptive.md. Any thread of a user.
#ifndef CSP_RMA_AUTO_H
#define CSP_RMA_AUTO_H

#include "adapt/gate.h"
#include "rma/rma_win.h"

struct csp_auto;

/** Bytes of a user's gates, one for each of `nnodes` nodes: no cache line holds those of two users. */
static inline uint64_t csp_auto_gates_bytes(int nnodes)
{
    return ((uint64_t)nnodes * sizeof(struct csp_gate) + 63) / 64 * 64;
}

struct csp_auto *csp_auto_new(struct csp_win *w);

/** Nothing is under way. Waits until the ghost of this node is done with it. */
void csp_auto_free(struct csp_win *w, struct csp_auto *a);

/** MPI_Finalize: the same for windows that the program did not free. */
void csp_auto_stop(void);

/**
 * Counts an operation of `bytes` bytes that is about to be issued. An accumulate waits while its route is being
 * changed; csp_auto_issued is due behind it. `complete`: it has been executed by then.
 * @return 1: to the target itself, 0: to its ghost, or, inside a node with locks for accumulates, at once.
 */
int csp_auto_route(struct csp_win *w, const struct csp_op *op, MPI_Aint bytes);
void csp_auto_issued(struct csp_win *w, const struct csp_op *op, int complete);

/**
 * Around a flush of all operations to `target`, or, -1, to all. @return not 0: csp_auto_flush_end is due behind it, with this as
 * `how`; 0: the window does not measure.
 */
int csp_auto_flush_begin(struct csp_win *w, int target);
void csp_auto_flush_end(struct csp_win *w, int target, int how);

/** Instead of that, and of a wait for local completion, where it finds nothing to do. */
void csp_auto_flush_nothing(struct csp_win *w, int target);

/** The same around a wait for some operations to a node, or, -1, to all, or until they are complete at the origin:
 * accumulates may be under way behind it. */
int csp_auto_wait_begin(struct csp_win *w, int node);
void csp_auto_wait_end(struct csp_win *w, int node);

/** A request of an operation to that node is complete, in a call of the library's that began at `since_ns`. */
void csp_auto_waited(struct csp_win *w, int node, uint64_t since_ns);

#endif
