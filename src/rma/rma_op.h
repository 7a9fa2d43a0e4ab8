// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// One RMA operation as the wrappers hand it over: all 18 operation functions (Put ...
// Raccumulate_c, Fetch_and_op, Compare_and_swap) fill this and call csp_rma_issue. User role, any
// thread.
#ifndef CSP_RMA_OP_H
#define CSP_RMA_OP_H

#include <mpi.h>
#include "runtime/stats.h"
#include "types/type.h"

struct csp_op {
    enum csp_op_kind kind;
    int target;               // rank in the window's group
    MPI_Aint disp;            // target_disp, in units of the target's disp_unit
    const void *origin;       // origin_addr (GET: written)
    csp_count_t origin_count; // FOP, CAS: 1
    MPI_Datatype origin_type; // FOP, CAS: the datatype
    csp_count_t target_count;
    MPI_Datatype target_type;
    MPI_Op op;           // ACC, GET_ACC, FOP
    const void *compare; // CAS
    void *result;        // GET_ACC, FOP, CAS
    csp_count_t result_count;
    MPI_Datatype result_type;
    MPI_Request *request; // not NULL: request-based
};

/** FOP and CAS name their one element by the origin's fields only. */
static inline MPI_Datatype csp_op_target_type(const struct csp_op *op)
{
    return op->kind >= CSP_OP_FOP ? op->origin_type : op->target_type;
}

static inline csp_count_t csp_op_target_count(const struct csp_op *op)
{
    return op->kind >= CSP_OP_FOP ? 1 : op->target_count;
}

/** Gives the program a request that is complete already, if it wants one. @return MPI error code. */
int csp_op_finished(const struct csp_op *op);

#endif
