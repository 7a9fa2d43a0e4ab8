// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// This process's cells (runtime/cell.h) and its ring to its ghost. User role, any thread.
#ifndef CSP_P2P_CELLS_H
#define CSP_P2P_CELLS_H

#include <stddef.h>
#include "runtime/cell.h"

struct csp_wait;

enum {
    CSP_CELL_SMALL = 256,  // bytes of payload behind a small cell,
    CSP_CELL_LARGE = 3904, // and behind a large one
};

/** Makes the ring. @return 0: there is no room for it in the node's segment. */
int csp_cells_start(void);

/** Waits until the ghost has taken all that was posted, and sends that nobody waited for are done. */
void csp_cells_stop(void);

/** A cell with room for `payload` bytes, or the most that there is; its question is zeroed. */
struct csp_cell *csp_cell_take(size_t payload);

/** The same, with less room where many large ones are in use: a cell costs as little as 448 bytes then. */
struct csp_cell *csp_cell_take_any(size_t payload);

/** Gives back a cell that is DONE or was not posted, with its layout. */
void csp_cell_give(struct csp_cell *c);

/** The same for one that nobody waits for: once the ghost is done with it. */
void csp_cell_leave(struct csp_cell *c);

/** Waits until ghosts are done with all of a communicator's that were left so. */
void csp_cells_settle(uint64_t context);

/** Gives a cell a copy of its layout: behind it, or elsewhere if it is too large or goes on to another cell. */
void csp_cell_layout(struct csp_cell *c, const void *layout, size_t bytes);

/** To the ghost. */
void csp_cell_post(struct csp_cell *c);

/** A call waits for it: asks for a ring, and copies its data if a ghost says that this process may: once, not twice through the ghost. */
void csp_cell_attend(struct csp_cell *c);

/** Waits until a ghost is done with it, after csp_wait_begin. */
void csp_cell_wait(struct csp_cell *c, struct csp_wait *w);

#endif
