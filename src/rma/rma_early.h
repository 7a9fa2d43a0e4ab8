// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Control messages for windows on the user side: posts, completes, barrier arrivals and grants. One
// that comes before this process has registered its window waits in a list.
#ifndef CSP_RMA_EARLY_H
#define CSP_RMA_EARLY_H

#include <stdint.h>

struct csp_win;

/** Installs the handlers of the user role. */
void csp_rma_am_start(void);

/** The list of live windows and the early messages; handlers and registration hold it. */
void csp_early_lock(void);
void csp_early_unlock(void);

/** Under the lock: hands the messages that were early for w to their handlers. */
void csp_early_replay(struct csp_win *w);

/** Under the lock: the live window of a gid, or NULL. */
struct csp_win *csp_win_by_gid(uint64_t gid);

#endif
