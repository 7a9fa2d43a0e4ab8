// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// User side of redirected windows: what the wrappers call. User role. Every function returns an MPI
// error code, already raised on the window's error handler. Sections: MPI-4.1 chapter 12, TPDS 3.1.
#ifndef CSP_RMA_RMA_H
#define CSP_RMA_RMA_H

#include <mpi.h>
#include "base/handles.h"
#include "csp_mpi_have.h"
#include "rma/rma_op.h"

struct csp_win;

extern CSP_INTERNAL struct csp_handles csp_windows;

/** The redirected window behind a handle, NULL for every other window. Lock-free, a few ns. */
static inline struct csp_win *csp_win_find(MPI_Win win)
{
    return csp_handles_find(&csp_windows, (uintptr_t)win);
}

/** Any of the RMA operations. */
int csp_rma_issue(struct csp_win *w, const struct csp_op *op);

/**
 * The usual PUT or GET by load and store: `n` elements of one predefined type on both sides. What is not so, or odd in any way,
 * is for csp_rma_issue. @return 1: it is done; 0: nothing is.
 */
int csp_rma_at_once(struct csp_win *w, enum csp_op_kind kind, const void *origin, csp_count_t n,
                    MPI_Datatype type, int target, MPI_Aint disp);

/** Sends small operations that wait to travel with others, if there are some (CSP_BY_TRAIN). */
void csp_rma_depart(void);

// Creation: same arguments as the MPI functions (and _c; disp_unit widened). Passes through to the MPI
// library when Casper is not active or the window can not be redirected.
int csp_rma_win_allocate(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                         void *baseptr, MPI_Win *win);
int csp_rma_win_create(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                       MPI_Win *win);
int csp_rma_win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win);

/** A new window that stays with the MPI library. `reason`, for the report, if there is one. */
void csp_rma_note_plain(MPI_Win win, enum csp_plain_reason reason);

// MPI_Win_free: passes through for windows that are not redirected.
int csp_rma_win_free(MPI_Win *win);

// Epochs and synchronisation (MPI-4.1 12.5): arguments of MPI_Win_X in order, without the window.
int csp_rma_win_fence(struct csp_win *w, int assertion);
int csp_rma_win_start(struct csp_win *w, MPI_Group group, int assertion);
int csp_rma_win_complete(struct csp_win *w);
int csp_rma_win_post(struct csp_win *w, MPI_Group group, int assertion);
int csp_rma_win_wait(struct csp_win *w);
int csp_rma_win_test(struct csp_win *w, int *flag);
int csp_rma_win_lock(struct csp_win *w, int lock_type, int rank, int assertion);
int csp_rma_win_unlock(struct csp_win *w, int rank);
int csp_rma_win_lock_all(struct csp_win *w, int assertion);
int csp_rma_win_unlock_all(struct csp_win *w);
int csp_rma_win_flush(struct csp_win *w, int rank);
int csp_rma_win_flush_all(struct csp_win *w);
int csp_rma_win_flush_local(struct csp_win *w, int rank);
int csp_rma_win_flush_local_all(struct csp_win *w);
int csp_rma_win_sync(struct csp_win *w);

// Queries: the carrier knows the rest.
int csp_rma_win_get_group(struct csp_win *w, MPI_Group *group);
int csp_rma_win_get_attr(struct csp_win *w, int keyval, void *attribute_val, int *flag);
int csp_rma_win_get_info(struct csp_win *w, MPI_Info *info_used);
int csp_rma_win_set_info(struct csp_win *w, MPI_Info info);
// disp_unit as MPI_Aint; the MPI_Win_shared_query wrapper narrows it.
int csp_rma_win_shared_query(struct csp_win *w, int rank, MPI_Aint *size, MPI_Aint *disp_unit,
                             void *baseptr);
// On a window that is not dynamic the program's error: MPI_ERR_RMA_FLAVOR.
int csp_rma_win_attach(struct csp_win *w, void *base, MPI_Aint size);
int csp_rma_win_detach(struct csp_win *w, const void *base);

#endif
