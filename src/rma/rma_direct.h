// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Operations by load and store: PUT and GET to a target whose memory this process maps.
#ifndef CSP_RMA_DIRECT_H
#define CSP_RMA_DIRECT_H

#include "rma/rma_type.h"
#include "rma/rma_win.h"

/** Copies between the origin buffer and `target` (an address); complete on return. @return MPI
 * error code. */
int csp_direct_copy(const struct csp_op *op, const struct csp_type *target_type, char *target);

#endif
