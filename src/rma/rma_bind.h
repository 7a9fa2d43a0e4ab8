// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Which ghost of the target's node executes an operation. User role, any thread. TPDS 3.1, Scale;
// docs/design/windows.md.
//   accumulates  bound to a ghost by the target's rank, or by the place in the target's memory:
//                whatever touches an element goes to one ghost, so it is atomic and in order
//   PUT, GET     the same ghost, or the one that this process gave the fewest operations or bytes
#ifndef CSP_RMA_BIND_H
#define CSP_RMA_BIND_H

#include "types/type.h"
#include "rma/rma_win.h"

/** What a window's info or the variables say, as one number that its processes compare. */
uint32_t csp_bind_wish(MPI_Info info);

/** Whether that asks for several ghosts for the accumulates on one target's memory. */
int csp_bind_wants_segments(uint32_t wish);

/** Takes over what the window's processes agreed upon. `mapped`: ghosts map its memory. */
void csp_bind_set(struct csp_win *w, int mapped, uint32_t wish);

/** What is in force, as the info keys say it. */
const char *csp_bind_acc_name(const struct csp_win *w);
const char *csp_bind_putget_name(const struct csp_win *w);

/** Ghost for `bytes` bytes of PUT or GET at a target. */
int csp_bind_spread(struct csp_win *w, int target, MPI_Aint bytes);

/** Ghost of the element that starts `at` bytes behind the target's base. */
int csp_bind_segment(const struct csp_win *w, int target, MPI_Aint at);

/** Where its segment ends: elements that start there go to another one. */
MPI_Aint csp_bind_segment_end(const struct csp_win *w, int target, MPI_Aint at);

/** By segment: the ghost that executes all of an accumulate, `at` bytes behind the target's base; -1:
 * there are several. */
int csp_bind_acc(const struct csp_win *w, const struct csp_op *op, const struct csp_type *type,
                 MPI_Aint at);

#endif
