// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// ACC, GET_ACC, FOP and CAS: what is allowed; and by load and store, in windows whose targets have locks
// (w->acc_locks): those whose processes all share one node, or whose accumulates take the software route.
#ifndef CSP_RMA_ACC_H
#define CSP_RMA_ACC_H

#include "types/type.h"
#include "rma/rma_win.h"

/**
 * Whether the operation is one for a target of `type`. Libraries find out late, some by an assertion
 * in the target. @return MPI error code: MPI_ERR_OP if the operation is not predefined or not for
 * the type; MPI_ERR_TYPE if the type must be predefined, or consist of one predefined type, and is
 * not so. `basic` is that type, MPI_DATATYPE_NULL if nothing is computed.
 */
int csp_acc_check(const struct csp_op *op, const struct csp_type *type, MPI_Datatype *basic);

/** The operation at `target` (an address), under the target's lock; complete on return. @return MPI
 * error code. */
int csp_acc_direct(struct csp_win *w, const struct csp_op *op, const struct csp_type *type,
                   MPI_Datatype basic, char *target);

/**
 * The usual one that computes, or compares, at a target that has a lock, without redirection: csp_acc_direct, and before it what csp_check_op would
 * find in order. @return its bytes; 0: it is another, and nothing is done.
 */
size_t csp_acc_at_once(struct csp_win *w, const struct csp_op *op);

/** The lock for accumulates at `target`, in windows that have them (w->acc_locks). */
void csp_acc_lock(struct csp_win *w, int target);
void csp_acc_unlock(struct csp_win *w, int target);

#endif
