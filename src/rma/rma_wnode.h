// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The shared part of a window on a node (runtime/wnode.h): its room in the pool segment, written by the leader of the
// node's users. User role.
#ifndef CSP_RMA_WNODE_H
#define CSP_RMA_WNODE_H

#include "rma/rma_async.h"
#include "rma/rma_win.h"

static const uint64_t CSP_PART_ALIGN = 64;  // of a part in the pool
static const uint64_t CSP_OWN_ALIGN = 4096; // in a segment of its own, and of segments

// What each process tells the others.
struct csp_card {
    uint64_t off; // in the pool; CSP_OFF_NONE: did not fit
    uint64_t
        lent; // the program's memory: the same if it is of MPI_Alloc_mem; CSP_OFF_NONE: elsewhere
    uint64_t size, disp_unit;
    uint64_t wnode_off; // leaders; CSP_OFF_NONE: no room even for that
    uint64_t gid;       // rank 0
    uint64_t cannot;    // bits: why it is left to the library (rma_alloc.c)
    uint64_t elsewhere; // 1: neither the pool nor a segment will do
    uint64_t bind;      // rank 0's counts: csp_bind_wish
    uint64_t async;     // enum csp_async_wish; all must say the same
    uint64_t predicted; // 1: operations on this one should go to itself (rma_profile.c)
};

struct csp_wnode *csp_wnode_at(uint64_t off);

/** Leaders: room, not described yet. `mapped`: ghosts map the window's memory. @return offset, CSP_OFF_NONE: none is left. */
uint64_t csp_wnode_alloc(const struct csp_members *m, int mapped, enum csp_async_wish async);

/** Takes it into use, from everybody's cards; the leader writes who is where. With `own`, parts lie one after the other
 * in their node's segment. */
void csp_wnode_describe(struct csp_win *w, int mapped, const struct csp_card *cards, int own);

/** The last user of the node gives it back, once the lock server is done with it. */
void csp_wnode_release(struct csp_win *w);

#endif
