// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Redirection decided by measurement (CSP_ASYNC_CONFIG=auto): a controller (adapt/adapt.h) for PUT and GET of
// this process to each node that a window uses. docs/design/adaptive.md. Any thread of a user.
#ifndef CSP_RMA_AUTO_H
#define CSP_RMA_AUTO_H

#include "rma/rma_win.h"

struct csp_auto;

struct csp_auto *csp_auto_new(void);
void csp_auto_free(struct csp_auto *a);

/** Counts a PUT or GET of `bytes` bytes to a process on `node`. @return 1: to the target itself, 0: to its ghost. */
int csp_auto_route(struct csp_auto *a, int node, MPI_Aint bytes);

/** After a flush of all operations to `node`, or, -1, of all: time to measure. */
void csp_auto_step(struct csp_auto *a, uint64_t gid, int node);

/** For accumulates, which cannot be probed: what is better for the node that gets the most PUT and GET;
 * `otherwise` when nothing is known. */
int csp_auto_advice(const struct csp_auto *a, int otherwise);

#endif
