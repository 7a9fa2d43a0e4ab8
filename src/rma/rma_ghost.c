// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_ghost.h"

#include <limits.h>
#include "rma/rma_async.h"
#include "rma/rma_nudge.h"
#include "rma/rma_request.h"
#include "types/type.h"
#include "rma/rma_weak.h"
#include "runtime/node.h"
#include "runtime/quirks.h"

// Where the ghost finds the data.
struct aim {
    int rank;      // ghost in the internal window
    MPI_Aint disp; // bytes: the internal window has disp_unit 1
    MPI_Win win;
};

#if CSP_HAVE_MPI_Put_c
#define LARGE(op)                                                                                  \
    ((op)->origin_count > INT_MAX || (op)->target_count > INT_MAX || (op)->result_count > INT_MAX)
#define CALL(op, fn, ...) (LARGE(op) ? csp_mpi.fn##_c(__VA_ARGS__) : csp_mpi.fn(__VA_ARGS__))
#else
#define CALL(op, fn, ...) csp_mpi.fn(__VA_ARGS__)
#endif
#define ORIGIN(op) (op)->origin, N((op)->origin_count), (op)->origin_type
#define TARGET(op, aim) (aim)->rank, (aim)->disp, N((op)->target_count), (op)->target_type
#define RESULT(op) (op)->result, N((op)->result_count), (op)->result_type

// The int functions get a value that fits: LARGE chose.
#if CSP_HAVE_MPI_Put_c
#define N(count) (count)
#pragma GCC diagnostic ignored "-Wconversion"
#else
#define N(count) (int)(count)
#endif

static int issue_plain(const struct csp_op *op, const struct aim *a)
{
    switch (op->kind) {
    case CSP_OP_PUT:
        return CALL(op, Put, ORIGIN(op), TARGET(op, a), a->win);
    case CSP_OP_GET:
        return CALL(op, Get, (void *)(uintptr_t)op->origin, N(op->origin_count), op->origin_type,
                    TARGET(op, a), a->win);
    case CSP_OP_ACC:
        return CALL(op, Accumulate, ORIGIN(op), TARGET(op, a), op->op, a->win);
    case CSP_OP_GET_ACC:
        return CALL(op, Get_accumulate, ORIGIN(op), RESULT(op), TARGET(op, a), op->op, a->win);
    case CSP_OP_FOP:
        return csp_mpi.Fetch_and_op(op->origin, op->result, op->origin_type, a->rank, a->disp,
                                    op->op, a->win);
    default:
        return csp_mpi.Compare_and_swap(op->origin, op->compare, op->result, op->origin_type,
                                        a->rank, a->disp, a->win);
    }
}

static int issue_request(const struct csp_op *op, const struct aim *a)
{
    switch (op->kind) {
    case CSP_OP_PUT:
        return CALL(op, Rput, ORIGIN(op), TARGET(op, a), a->win, op->request);
    case CSP_OP_GET:
        return CALL(op, Rget, (void *)(uintptr_t)op->origin, N(op->origin_count), op->origin_type,
                    TARGET(op, a), a->win, op->request);
    case CSP_OP_ACC:
        return CALL(op, Raccumulate, ORIGIN(op), TARGET(op, a), op->op, a->win, op->request);
    default:
        return CALL(op, Rget_accumulate, ORIGIN(op), RESULT(op), TARGET(op, a), op->op, a->win,
                    op->request);
    }
}

// A small PUT that the library's flush would not wait for gets a request of our own, which completes
// only when the data is there, or a mark. @return MPI error code.
static int issue_weak(struct csp_win *w, int bit, const struct csp_op *op, const struct aim *a)
{
    struct csp_weak_put *put = csp_weak_begin(w, bit);
    if (!put) {
        int rc = issue_plain(op, a);
        csp_win_mark(w->weak, bit); // after the operation, as below
        return rc;
    }
    struct csp_op with_request = *op;
    with_request.request = &put->request;
    int rc = issue_request(&with_request, a);
    csp_weak_end(put, rc == MPI_SUCCESS);
    return rc;
}

static int issue(struct csp_win *w, int bit, const struct csp_op *op, MPI_Aint bytes,
                 const struct aim *a)
{
    if (op->request)
        return issue_request(op, a);
    if (op->kind == CSP_OP_PUT && bytes <= csp_quirks.weak_put_bytes)
        return issue_weak(w, bit, op, a);
    return issue_plain(op, a);
}

static int send(struct csp_win *w, int ghost, const struct csp_op *op, MPI_Aint at, MPI_Aint bytes)
{
    const struct csp_peer *p = &w->peers[op->target];
    struct aim a = {csp_async_rank(w, ghost), (MPI_Aint)p->off + at, w->iwin->win};
    int by_ghost = ghost < csp_async_ghosts();
    if (csp_rt.crowded && by_ghost)
        csp_nudge_issue(ghost);
    int rc = issue(w, ghost, op, bytes, &a);
    csp_win_mark(w->used, ghost);
    csp_win_mark(w->local, ghost);
    if (csp_rt.crowded && by_ghost)
        csp_stats_add(&w->pending_bytes, (uint64_t)bytes);
    if (by_ghost && p->node == csp_rt.node)
        csp_bell_ring(&csp_node_procs(csp_rt.page)[ghost % csp_rt.topo->ng].bell);
    if (by_ghost && op->kind != CSP_OP_GET && rc == MPI_SUCCESS)
        rc = csp_win_flood(w, ghost, bytes);
    return rc;
}

static int is_one_run(MPI_Datatype type)
{
    struct csp_type store;
    const struct csp_type *t;
    return csp_type_look(type, &store, &t) == MPI_SUCCESS && t->contig;
}

// Would the library's request be complete too early?
static int is_early(const struct csp_op *op)
{
    int fetches = op->kind == CSP_OP_GET_ACC;
    return csp_quirks.early_requests &&
           (!is_one_run(op->target_type) || (fetches && !is_one_run(op->result_type)) ||
            (!(fetches && op->op == MPI_NO_OP) && !is_one_run(op->origin_type)));
}

// With a request of the library's.
static int send_measured(struct csp_win *w, int ghost, const struct csp_op *op, MPI_Aint at,
                         MPI_Aint bytes)
{
    int rc = send(w, ghost, op, at, bytes);
    if (w->automatic && rc == MPI_SUCCESS)
        csp_request_library(w, w->peers[op->target].node, op->request);
    return rc;
}

int csp_ghost_issue(struct csp_win *w, int ghost, const struct csp_op *op, MPI_Aint at,
                    MPI_Aint bytes)
{
    if (CSP_LIKELY(!op->request))
        return send(w, ghost, op, at, bytes);
    if (!is_early(op))
        return send_measured(w, ghost, op, at, bytes);
    struct csp_op without = *op;
    without.request = NULL;
    int rc = send(w, ghost, &without, at, bytes);
    if (rc == MPI_SUCCESS)
        csp_request_local(w, ghost, 1, op->request);
    return rc;
}
