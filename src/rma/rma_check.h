// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What is looked at before an operation is issued; docs/design/errors.md lists it. User role, any thread.
#ifndef CSP_RMA_CHECK_H
#define CSP_RMA_CHECK_H

#include "types/type.h"
#include "rma/rma_win.h"

// An operation that was looked at.
struct csp_aim {
    struct csp_type store;       // for `type`, see csp_type_look
    const struct csp_type *type; // of the target data
    MPI_Aint at;                 // bytes from the target's base to displacement 0 of the data
    MPI_Aint bytes;              // of target data; 0: there is nothing to do, the rest is not set
    MPI_Datatype basic; // accumulate that computes: type of its elements; else MPI_DATATYPE_NULL
    int hollow;         // a type of the operation is (csp_type)
};

/** @return MPI error code, not yet raised. */
int csp_check_op(struct csp_win *w, const struct csp_op *op, struct csp_aim *aim);

/** 1 if the operation's target data lie in one piece of memory that this process attached. */
int csp_attach_covers(struct csp_win *w, const struct csp_op *op, const struct csp_aim *aim);

/** MPI_ERR_ASSERT for an assertion that is not among `allowed`. */
static inline int csp_check_assert(int assertion, int allowed)
{
    return assertion & ~allowed ? MPI_ERR_ASSERT : MPI_SUCCESS;
}

#endif
