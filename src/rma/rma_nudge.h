// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Crowded nodes: keeps the ghost of another node awake while this process uses it again and again.
// docs/design/ghost.md. A ghost is named by node * ng + gidx.
#ifndef CSP_RMA_NUDGE_H
#define CSP_RMA_NUDGE_H

#include <stdint.h>

/** Before an operation at `ghost`. */
void csp_nudge_issue(int ghost);

/**
 * After a flush of `ghost` that ended `now`: asks it to stay awake if operations and flushes come
 * close upon each other and were slow of late; tells it that it is in use if it was slow after a
 * pause. At most one message in 150 us to each ghost.
 */
void csp_nudge_flushed(int ghost, uint64_t now);

#endif
