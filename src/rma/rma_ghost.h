// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Operations by a ghost: the program's call, aimed at the ghost's window instead of the target's.
#ifndef CSP_RMA_GHOST_H
#define CSP_RMA_GHOST_H

#include "rma/rma_win.h"

/**
 * Issues at an executor of rma_async.h: a ghost of the target's node, or the target; `at`: bytes from the start of the target's
 * part; `bytes`: data. @return MPI error code.
 */
int csp_ghost_issue(struct csp_win *w, int ghost, const struct csp_op *op, MPI_Aint at,
                    MPI_Aint bytes);

#endif
