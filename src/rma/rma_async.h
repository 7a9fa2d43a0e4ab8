// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Redirection on or off: whether operations on other processes go to a ghost, or, by the same internal
// window, to the target itself. TPDS 5.2; docs/design/adaptive.md. User role.
//   ON   executor = ghost   [node * ng + gidx]
//   OFF  executor = target  [nnodes * ng + rank of the window]
// An executor is a bit in the window's sets of what is under way. What the processes of a window say
// must agree, and holds from the next call in which all of them are with nothing under way: allocation,
// fence, MPI_Win_set_info with `symmetric`.
#ifndef CSP_RMA_ASYNC_H
#define CSP_RMA_ASYNC_H

#include "rma/rma_win.h"

enum csp_async_wish { CSP_ASYNC_NONE, CSP_ASYNC_ON, CSP_ASYNC_OFF, CSP_ASYNC_AUTO };

/** What a process says: by `info`, otherwise nothing. */
enum csp_async_wish csp_async_read(MPI_Info info);

/** 1 if redirection of a window with that wish at its creation may be switched: its users are in the
 * internal window with the ghosts. */
static inline int csp_async_may_change(enum csp_async_wish wish)
{
    return wish != CSP_ASYNC_NONE || csp_rt.pool_has_users;
}

/** New window: takes over what all said. */
void csp_async_init(struct csp_win *w, enum csp_async_wish wish);

/** By MPI_Win_set_info, a barrier: the wish for the next fence, or, if all say `symmetric`, for now. @return MPI error
 * code, raised. */
int csp_async_set(struct csp_win *w, MPI_Info info);

/** In a fence, instead of its barrier: what was said since the last one comes into force. @return MPI error
 * code, the same on all processes. */
int csp_async_fence(struct csp_win *w);

/** "on", "off", "auto". */
const char *csp_async_name(const struct csp_win *w);

/** Number of ghosts of the job: executors from there on are targets. */
static inline int csp_async_ghosts(void)
{
    return csp_rt.topo->nnodes * csp_rt.topo->ng;
}

/** The target's own executor. */
static inline int csp_async_target(int target)
{
    return csp_async_ghosts() + target;
}

/** Its rank in the window's internal window. */
int csp_async_rank(const struct csp_win *w, int executor);

#endif
