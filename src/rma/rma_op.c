// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The route of an operation, chosen in one place (csp_rma_issue). MPI-4.1 12.3; TPDS 3.1. The usual one by load and store is done
// before anything is asked about it that only others need (csp_rma_at_once, csp_acc_at_once).
//
//   target                    PUT, GET                     ACC, GET_ACC, FOP, CAS
//   in a window of one node   load/store, at once          load/store under the target's lock
//   self or this node         load/store, at once          the target's ghost
//   another node              the target's ghost           the target's ghost
//   redirection off           load/store as above, else the target itself instead of its ghost (rma_async.c);
//                             in a window of several nodes accumulates always
//
// In windows on memory that ghosts do not map (MPI_Win_create, MPI_Win_create_dynamic) the same, but
// memory of others is reached by the system, and ghosts get the operation in messages (rma_soft.c). With
// w->acc_soft redirected accumulates of other windows are such messages, too, and load/store inside the node; over some
// libraries so are PUT and GET of data in short runs (csp_quirks.runs_slow).
// The accumulate operations of a target all take one way, hence are atomic with each other.
#include "rma/rma_op.h"

#include "rma/rma_acc.h"
#include "rma/rma_async.h"
#include "rma/rma_auto.h"
#include "rma/rma_profile.h"
#include "rma/rma_bind.h"
#include "rma/rma_check.h"
#include "rma/rma_direct.h"
#include "rma/rma_ghost.h"
#include "rma/rma_soft.h"
#include "rma/rma_split.h"
#include "rma/rma_win.h"

static inline void count(enum csp_op_kind kind, enum csp_route route, MPI_Aint bytes)
{
    csp_stats_add(&csp_my_stats->op_count[kind][route], 1);
    csp_stats_add(&csp_my_stats->op_bytes[kind][route], (uint64_t)bytes);
}

int csp_op_finished(const struct csp_op *op)
{
    if (!op->request)
        return MPI_SUCCESS;
    return csp_mpi.Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, csp_rt.self, op->request);
}

// Redirection is off for this operation.
static int is_off(struct csp_win *w, const struct csp_op *op, MPI_Aint bytes)
{
    if (CSP_UNLIKELY(w->automatic))
        return csp_auto_route(w, op, bytes);
    return CSP_UNLIKELY(w->profile) ? csp_profile_off(w, op) : w->async == CSP_ASYNC_OFF;
}

// It goes where redirection says; what Casper always executes itself does not.
static int follows(const struct csp_win *w, const struct csp_op *op)
{
    return op->kind <= CSP_OP_GET ? w->iwin != NULL : w->acc_moves;
}

static int has_short_runs(const struct csp_type *t)
{
    enum { SHORT = 16384 }; // bytes on average
    return !t->contig && csp_layout_runs_below(t->layout, SHORT);
}

// On either side.
static int in_short_runs(const struct csp_op *op, const struct csp_type *target)
{
    struct csp_type store;
    const struct csp_type *origin;
    if (has_short_runs(target))
        return 1;
    return op->origin_type != op->target_type &&
           csp_type_look(op->origin_type, &store, &origin) == MPI_SUCCESS && has_short_runs(origin);
}

// While redirection is on, Casper's own code executes the operation, not the MPI library.
static int by_software(const struct csp_win *w, const struct csp_op *op,
                       const struct csp_type *type)
{
    if (!w->iwin)
        return 1;
    if (op->kind > CSP_OP_GET)
        return w->acc_soft != CSP_SOFT_ACC_NEVER;
    return CSP_UNLIKELY(csp_quirks.runs_slow) && in_short_runs(op, type);
}

static enum csp_route route_of(struct csp_win *w, const struct csp_op *op, MPI_Aint bytes)
{
    int here = w->peers[op->target].node == csp_rt.node;
    if (here && op->kind <= CSP_OP_GET)
        return CSP_ROUTE_DIRECT;
    if (follows(w, op) && CSP_UNLIKELY(is_off(w, op, bytes)))
        return CSP_ROUTE_TARGET;
    if (!here)
        return CSP_ROUTE_GHOST_NET;
    return w->acc_locks ? CSP_ROUTE_DIRECT : CSP_ROUTE_GHOST_NODE;
}

// 1 if load and store reach the target data: those of this node where ghosts map the window's memory, else
// one's own. In a dynamic window only what is known to be there is touched without the system's help.
static int by_load_and_store(struct csp_win *w, const struct csp_op *op, const struct csp_aim *a)
{
    if (w->iwin)
        return 1;
    if (op->target != w->rank)
        return 0;
    return w->attr_flavor != MPI_WIN_FLAVOR_DYNAMIC || csp_attach_covers(w, op, a);
}

static int issue_direct(struct csp_win *w, const struct csp_op *op, const struct csp_type *t,
                        MPI_Datatype basic, char *addr)
{
    return op->kind <= CSP_OP_GET ? csp_direct_copy(op, t, addr)
                                  : csp_acc_direct(w, op, t, basic, addr);
}

// The request, if the program wants one, is the library's if that has one that can be used.
static int issue_library(struct csp_win *w, const struct csp_op *op, const struct csp_aim *a,
                         enum csp_route route)
{
    int executor;
    if (CSP_UNLIKELY(route == CSP_ROUTE_TARGET))
        executor = csp_async_target(op->target);
    else if (op->kind <= CSP_OP_GET)
        executor = csp_bind_spread(w, op->target, a->bytes);
    else
        executor =
            w->by_segment ? csp_bind_acc(w, op, a->type, a->at) : w->peers[op->target].ghost_bit;
    if (CSP_LIKELY(executor >= 0 && (!a->hollow || op->kind <= CSP_OP_GET)))
        return csp_ghost_issue(w, executor, op, a->at, a->bytes);
    return csp_split_issue(w, op, a->at, executor);
}

static int issue_by(struct csp_win *w, const struct csp_op *op, const struct csp_aim *a,
                    enum csp_route route)
{
    if (route == CSP_ROUTE_DIRECT && by_load_and_store(w, op, a)) {
        char *addr = csp_win_local(w, op->target) + a->at;
        int rc = issue_direct(w, op, a->type, a->basic, addr);
        return rc == MPI_SUCCESS ? csp_op_finished(op) : rc;
    }
    if (route != CSP_ROUTE_TARGET && by_software(w, op, a->type))
        return csp_soft_issue(w, op, a->type, a->basic, a->at, a->bytes, route);
    return issue_library(w, op, a, route);
}

static int issue(struct csp_win *w, const struct csp_op *op, const struct csp_aim *a)
{
    enum csp_route route = route_of(w, op, a->bytes);
    count(op->kind, route, a->bytes);
    int rc = issue_by(w, op, a, route);
    if (CSP_UNLIKELY(w->automatic) && op->kind > CSP_OP_GET && w->acc_moves)
        csp_auto_issued(w, op, route == CSP_ROUTE_DIRECT);
    return rc;
}

// An operation that is looked at from all sides.
static __attribute__((noinline)) int issue_checked(struct csp_win *w, const struct csp_op *op)
{
    struct csp_aim aim;
    int rc = csp_check_op(w, op, &aim);
    if (CSP_UNLIKELY(rc != MPI_SUCCESS))
        return csp_win_raise(w, rc);
    if (aim.bytes == 0) {
        count(op->kind, CSP_ROUTE_NONE, 0);
        return csp_win_rc(w, csp_op_finished(op));
    }
    if (atomic_load_explicit(&w->locked_all, memory_order_relaxed) && !w->locked_all_nocheck)
        csp_win_lockall_touch(w, op->target);
    return csp_win_rc(w, issue(w, op, &aim));
}

int csp_rma_issue(struct csp_win *w, const struct csp_op *op)
{
    size_t bytes =
        op->kind > CSP_OP_GET && w->acc_locks && !w->acc_moves ? csp_acc_at_once(w, op) : 0;
    if (bytes == 0)
        return issue_checked(w, op);
    count(op->kind, CSP_ROUTE_DIRECT, (MPI_Aint)bytes);
    return MPI_SUCCESS;
}

int csp_rma_at_once(struct csp_win *w, enum csp_op_kind kind, const void *origin, csp_count_t n,
                    MPI_Datatype type, int target, MPI_Aint disp)
{
    size_t bytes;
    char *mine = (char *)(uintptr_t)origin;
    const struct csp_type *t = csp_type_usual(type);
    char *theirs = t && origin ? csp_check_usual(w, t, n, target, disp, &bytes) : NULL;
    if (!theirs)
        return 0;
    count(kind, CSP_ROUTE_DIRECT, (MPI_Aint)bytes);
    csp_copy_bytes(kind == CSP_OP_PUT ? theirs : mine, kind == CSP_OP_PUT ? mine : theirs, bytes);
    return 1;
}
