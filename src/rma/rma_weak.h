// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Small PUTs of MPI libraries whose flush does not wait for them (csp_quirks.weak_put_bytes). Their
// request-based form is complete only when the data is there: the first ones after a flush go that
// way, with a request of ours. docs/design/ghost.md.
#ifndef CSP_RMA_WEAK_H
#define CSP_RMA_WEAK_H

#include "rma/rma_win.h"

/** A place for the request of a PUT at the ghost, or NULL if all are in use. */
struct csp_weak_put *csp_weak_begin(struct csp_win *w, int bit);

/** After the PUT was issued with put->request; `ok`: it was. */
void csp_weak_end(struct csp_weak_put *put, int ok);

/** Waits until all those at the ghost are in its memory. @return MPI error code. */
int csp_weak_wait(struct csp_win *w, int bit);

#endif
