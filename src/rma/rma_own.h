// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Windows with a segment of their own. Collective over the window's users.
#ifndef CSP_RMA_OWN_H
#define CSP_RMA_OWN_H

#include "rma/rma_win.h"

/** Makes w->own from the peers' table. @return 1 on all of them, or 0 on all of them. */
int csp_own_create(struct csp_win *w, MPI_Comm comm);

/** After everybody's last operation: keeps w->own as a spare, or frees it. */
void csp_own_free(struct csp_win *w);

/** Frees one whose turn it is in the whole job. */
void csp_own_discard(struct csp_iwin *own, int leads);

#endif
