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

// A set of processes; ranks in `comm` are places in `wranks`, which is sorted.
struct csp_ext {
    struct csp_ext *next;
    MPI_Comm comm;
    int n;
    int32_t wranks[];
};

/** Order of int32_t ranks, for qsort and bsearch. */
int csp_by_rank(const void *a, const void *b);

/**
 * A window's users and their ghosts. Collective over them; made once per set of processes and kept until
 * MPI_Finalize. NULL on failure.
 */
const struct csp_ext *csp_ext_of(const struct csp_wnode *node);

/** Ranks of the ghosts in it: [node number * ng + gidx], -1 for nodes without users; for
 * csp_meta_free. */
int32_t *csp_ext_ghost_ranks(const struct csp_ext *ext);

/** Rank in it of the process with this wrank, or -1. */
int csp_ext_rank(const struct csp_ext *ext, int wrank);

/**
 * From begin to end no other thread of this process makes or frees a window of the MPI library here: MPICH over UCX
 * takes keys of remote memory from a list without a lock (rma/threads_overlap). Held across a collective only by those
 * whom the token puts in one order. Nests: delete callbacks of attributes may come back here.
 */
void csp_ext_making_begin(void);
void csp_ext_making_end(void);

/**
 * Between the two, users and ghosts wait for each other in collective calls, and yield as in MPI_Init: whoever spins there keeps the
 * core from those it waits for. Several threads may be in there.
 */
void csp_ext_meet(void);
void csp_ext_part(void);

/** Creates an internal window (disp_unit 1) and locks it for good. Collective. @return MPI error
 * code. */
int csp_ext_win(MPI_Comm comm, void *base, MPI_Aint bytes, MPI_Win *win);
void csp_ext_win_free(MPI_Win *win);

/** MPI_Finalize: the cached communicators. Collective over each. */
void csp_ext_stop(void);

#endif
