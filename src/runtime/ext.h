// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What users and ghosts do alike for a window with its own segment: the communicator over the
// window's users and the ghosts of their nodes, and the internal window on it. All under the
// creation token.
#ifndef CSP_RUNTIME_EXT_H
#define CSP_RUNTIME_EXT_H

#include <mpi.h>
#include <stdint.h>
#include "runtime/wnode.h"

/** Order of int32_t wranks, for qsort and bsearch. */
int csp_by_wrank(const void *a, const void *b);

/**
 * The communicator of a window's users and their ghosts, in the order of wranks. Collective over
 * them; made once per set of processes and kept until MPI_Finalize. MPI_COMM_NULL on failure.
 */
MPI_Comm csp_ext_comm(const struct csp_wnode *node);

/** Ranks of the ghosts in it: [node number * ng + gidx], -1 for nodes without users; for
 * csp_meta_free. */
int32_t *csp_ext_ghost_ranks(const struct csp_wnode *node);

/** Rank in it of the process with this wrank. */
int csp_ext_rank(MPI_Comm ext, int wrank);

/** Creates an internal window (disp_unit 1) and locks it for good. Collective. @return MPI error
 * code. */
int csp_ext_win(MPI_Comm ext, void *base, MPI_Aint bytes, MPI_Win *win);
void csp_ext_win_free(MPI_Win *win);

/** MPI_Finalize: the cached communicators. Collective over each. */
void csp_ext_stop(void);

#endif
