// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Accumulates that touch segments of several ghosts (rma_bind.h). User role, any thread.
#ifndef CSP_RMA_SPLIT_H
#define CSP_RMA_SPLIT_H

#include "types/type.h"
#include "rma/rma_win.h"

/**
 * Gives each ghost of the target's node the elements that start in its segments, by one operation each; or all to one
 * `executor` (not negative), by types of nothing but them. The program's request, if it wants one, is Casper's. @return MPI
 * error code.
 */
int csp_split_issue(struct csp_win *w, const struct csp_op *op, MPI_Aint at, int executor);

#endif
