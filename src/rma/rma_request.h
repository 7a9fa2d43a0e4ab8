// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Requests (req/req.h) of operations that the MPI library has no request for, or one that is complete too early, or one whose
// waits are measured. User role, any thread.
#ifndef CSP_RMA_REQUEST_H
#define CSP_RMA_REQUEST_H

#include "rma/rma_win.h"

/** For the results of pieces that were sent to a ghost: complete when all of them up to now are here. */
void csp_request_results(const struct csp_win *w, int ghost, MPI_Request *request);

/** For what the MPI library has under way to `n` ghosts from `first` on: completing it completes all that at the origin. */
void csp_request_local(const struct csp_win *w, int first, int n, MPI_Request *request);

/** The library's own in *request becomes one of Casper's: how long the program waits for it is measured (rma_auto.h). */
void csp_request_library(const struct csp_win *w, int node, MPI_Request *request);

#endif
