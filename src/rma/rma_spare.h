// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Spares: segment and internal window of a freed window, kept for the next one of the same
// processes. docs/design/windows.md.
#ifndef CSP_RMA_SPARE_H
#define CSP_RMA_SPARE_H

#include "rma/rma_win.h"

/**
 * MPI_Win_free, with all processes of the window in it: keeps w->own if all of them have room for it.
 * @return 1 on all of them, or 0 on all of them.
 */
int csp_spare_keep(struct csp_win *w);

/** For the process that decides: takes a spare that is large enough. @return its id, or 0. */
uint64_t csp_spare_pick(struct csp_win *w);

/** For the others: takes that one. */
void csp_spare_follow(struct csp_win *w, uint64_t id);

/** MPI_Finalize: frees them. Collective over all users. */
void csp_spare_stop(void);

#endif
