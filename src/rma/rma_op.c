// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The route of an operation, chosen in one place (csp_rma_issue). MPI-4.1 12.3; TPDS 3.1.
//
//   target                    PUT, GET                     ACC, GET_ACC, FOP, CAS
//   in a window of one node   load/store, at once          load/store under the target's lock
//   self or this node         load/store, at once          the target's ghost
//   another node              the target's ghost           the target's ghost
//
// In windows on memory that ghosts do not map (MPI_Win_create, MPI_Win_create_dynamic) the same, but
// memory of others is reached by the system, and ghosts get the operation in messages (rma_soft.c).
// The accumulate operations of a target all take one way, hence are atomic with each other.
#include "rma/rma_op.h"

#include <limits.h>
#include "rma/rma_acc.h"
#include "rma/rma_bind.h"
#include "rma/rma_direct.h"
#include "rma/rma_ghost.h"
#include "rma/rma_soft.h"
#include "rma/rma_split.h"
#include "rma/rma_type.h"
#include "rma/rma_win.h"

static void count(const struct csp_op *op, enum csp_route route, MPI_Aint bytes)
{
    csp_stats_add(&csp_my_stats->op_count[op->kind][route], 1);
    csp_stats_add(&csp_my_stats->op_bytes[op->kind][route], (uint64_t)bytes);
}

// A request that is complete already.
static int finished(const struct csp_op *op)
{
    if (!op->request)
        return MPI_SUCCESS;
    return csp_mpi.Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, csp_rt.self, op->request);
}

// Where the target data lies, in bytes from the start of the target's part; checked, for another
// process's memory may follow.
static int place(const struct csp_win *w, const struct csp_op *op, const struct csp_type *t,
                 MPI_Aint *at)
{
    const struct csp_peer *p = &w->peers[op->target];
    MPI_Aint lo, hi;
    csp_type_range(t, csp_op_target_count(op), &lo, &hi);
    if (__builtin_mul_overflow(op->disp, (MPI_Aint)p->disp_unit, at))
        return MPI_ERR_DISP;
    if (*at + lo < 0 || (uint64_t)(*at + hi) > p->size)
        return MPI_ERR_RMA_RANGE;
    return MPI_SUCCESS;
}

static enum csp_route route_of(const struct csp_win *w, const struct csp_op *op)
{
    if (w->peers[op->target].node != csp_rt.node)
        return CSP_ROUTE_GHOST_NET;
    return op->kind <= CSP_OP_GET || w->acc_locks ? CSP_ROUTE_DIRECT : CSP_ROUTE_GHOST_NODE;
}

static int issue_direct(struct csp_win *w, const struct csp_op *op, const struct csp_type *t,
                        MPI_Datatype basic, char *addr)
{
    return op->kind <= CSP_OP_GET ? csp_direct_copy(op, t, addr)
                                  : csp_acc_direct(w, op, t, basic, addr);
}

// The request, if the program wants one, is the library's.
static int issue_ghost(struct csp_win *w, const struct csp_op *op, const struct csp_type *t,
                       MPI_Aint at, MPI_Aint bytes)
{
    if (op->kind <= CSP_OP_GET)
        return csp_ghost_issue(w, csp_bind_spread(w, op->target, bytes), op, at, bytes);
    int ghost = w->by_segment ? csp_bind_acc(w, op, t, at) : w->peers[op->target].ghost_bit;
    if (CSP_LIKELY(ghost >= 0))
        return csp_ghost_issue(w, ghost, op, at, bytes);
    int rc = csp_split_issue(w, op, t, at);
    return rc == MPI_SUCCESS ? finished(op) : rc;
}

int csp_rma_issue(struct csp_win *w, const struct csp_op *op)
{
    struct csp_type t;
    MPI_Aint at;
    if (op->target == MPI_PROC_NULL) {
        count(op, CSP_ROUTE_NONE, 0);
        return finished(op);
    }
    if (CSP_UNLIKELY((unsigned)op->target >= (unsigned)w->n))
        return csp_win_raise(w, MPI_ERR_RANK);
    if (CSP_UNLIKELY(!csp_win_access_open(w, op->target)))
        return csp_win_raise(w, MPI_ERR_RMA_SYNC);
    if (CSP_UNLIKELY(csp_op_target_count(op) < 0 || op->origin_count < 0))
        return csp_win_raise(w, MPI_ERR_COUNT);
    int rc = csp_type_get(csp_op_target_type(op), &t);
    if (CSP_UNLIKELY(rc != MPI_SUCCESS))
        return csp_win_raise(w, rc);
    MPI_Aint bytes = (MPI_Aint)csp_op_target_count(op) * t.size;
    if (bytes == 0) {
        count(op, CSP_ROUTE_NONE, 0);
        return finished(op);
    }
    rc = place(w, op, &t, &at);
    if (CSP_UNLIKELY(rc != MPI_SUCCESS))
        return csp_win_raise(w, rc);
    MPI_Datatype basic = MPI_DATATYPE_NULL;
    if (op->kind > CSP_OP_GET && CSP_UNLIKELY((rc = csp_acc_check(op, &t, &basic)) != MPI_SUCCESS))
        return csp_win_raise(w, rc);
    if (atomic_load_explicit(&w->locked_all, memory_order_relaxed) && !w->locked_all_nocheck)
        csp_win_lockall_touch(w, op->target);
    enum csp_route route = route_of(w, op);
    count(op, route, bytes);
    if (route == CSP_ROUTE_DIRECT && (w->iwin || op->target == w->rank))
        rc = issue_direct(w, op, &t, basic, csp_win_local(w, op->target) + at);
    else if (w->iwin)
        return csp_win_rc(w, issue_ghost(w, op, &t, at, bytes));
    else
        rc = csp_soft_issue(w, op, &t, basic, at, bytes, route);
    return csp_win_rc(w, rc == MPI_SUCCESS ? finished(op) : rc);
}
