// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Spares: segment and internal window of a freed window, kept for the next one of the same
// processes. docs/design/windows.md.
#ifndef CSP_RMA_SPARE_H
#define CSP_RMA_SPARE_H

#include "rma/rma_win.h"

/**
 * MPI_Win_free, with all processes of the window in it: keeps w->own if all of them have room for it:
 * at most CSP_SPARE_MAX bytes on their node and four spares of the same processes.
 * @return 1 on all of them, or 0 on all of them.
 */
int csp_spare_keep(struct csp_win *w);

/** What the process that decides tells the others. */
struct csp_spare_choice {
    uint64_t id;   // of a spare; 0: there is none
    uint64_t fits; // or it is too small and makes room for the new window
};

struct csp_spare;

/**
 * For the process that decides: the smallest spare of the window's processes that has room for
 * w->own.node_bytes, or the smallest of all; NULL if there is none. Nobody else finds it any more.
 */
struct csp_spare *csp_spare_choose(const struct csp_win *w, struct csp_spare_choice *choice);

/** For the others: that one. */
struct csp_spare *csp_spare_follow(uint64_t id);

/** Makes it the window's own. */
void csp_spare_use(struct csp_win *w, struct csp_spare *s);

/** Frees it, with the creation token held. Collective over the processes of the window. */
void csp_spare_discard(struct csp_spare *s);

/** MPI_Finalize: frees them. Collective over all users. */
void csp_spare_stop(void);

#endif
