// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Who else may accumulate there is a process of the node too, a user or, for those of other nodes, a ghost, so
// a lock for each target in the node's shared memory is all that atomicity needs; the order of accumulates is
// that of the program (MPI-4.1 12.7.1, 12.7.2). csp_reduce computes.
#include "rma/rma_acc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "rma/rma_check.h"
#include "rma/rma_direct.h"
#include "runtime/piece.h"
#include "runtime/reduce.h"
#include "runtime/wait.h"

enum { SPINS = 100 }; // before a lock is waited for

static void await_lock(struct csp_win *w, int target, struct csp_acc_lock *lock)
{
    struct csp_wait wait;
    csp_wait_begin(&wait, "accumulate: another one at rank %ld of window %ld", target,
                   (long)w->gid);
    for (int n = 1; !csp_acc_try(lock); n++) {
        if (n < SPINS)
            csp_cpu_relax();
        else
            csp_wait_turn(&wait);
    }
}

void csp_acc_lock(struct csp_win *w, int target)
{
    struct csp_acc_lock *lock = &w->acc_locks[csp_acc_index(w, target)];
    if (CSP_UNLIKELY(!csp_acc_try(lock)))
        await_lock(w, target, lock);
}

void csp_acc_unlock(struct csp_win *w, int target)
{
    csp_acc_release(&w->acc_locks[csp_acc_index(w, target)]);
}

// A side as elements of its basic type: itself, or a copy in `store`, which the caller frees.
static int as_row(const struct csp_side *side, MPI_Datatype basic, struct csp_side *row,
                  char **store)
{
    *row = *side;
    *store = NULL;
    if (side->type == basic)
        return MPI_SUCCESS;
    int rc = csp_side_get(NULL, 0, basic, row);
    if (rc != MPI_SUCCESS)
        return rc;
    row->count = csp_side_bytes(side) / row->info.size;
    row->addr = *store = malloc((size_t)row->count * (size_t)row->info.extent);
    return *store ? csp_side_copy(side, row) : MPI_ERR_NO_MEM;
}

static int overlap(const struct csp_side *a, const struct csp_side *b)
{
    MPI_Aint a_lo, a_hi, b_lo, b_hi;
    csp_type_range(&a->info, a->count, &a_lo, &a_hi);
    csp_type_range(&b->info, b->count, &b_lo, &b_hi);
    return a->addr + a_lo < b->addr + b_hi && b->addr + b_lo < a->addr + a_hi;
}

static int reduce(const struct csp_side *from, const struct csp_side *to, MPI_Op op)
{
    csp_count_t all = from->count < to->count ? from->count : to->count;
    int rc = MPI_SUCCESS;
    for (csp_count_t done = 0; done < all && rc == MPI_SUCCESS;) {
        int n = all - done < INT_MAX ? (int)(all - done) : INT_MAX;
        MPI_Aint at = (MPI_Aint)done * to->info.extent;
        rc = csp_reduce(from->addr + at, to->addr + at, n, to->type, op);
        done += n;
    }
    return rc;
}

// The origin's elements as basic ones, away from the target: MPI_Reduce_local allows no overlap.
static int origin_row(const struct csp_side *origin, const struct csp_side *target,
                      MPI_Datatype basic, struct csp_side *row, char **store)
{
    int rc = as_row(origin, basic, row, store);
    if (rc != MPI_SUCCESS || *store || !overlap(row, target))
        return rc;
    size_t bytes = (size_t)row->count * (size_t)row->info.extent;
    *store = malloc(bytes);
    if (!*store)
        return MPI_ERR_NO_MEM;
    memcpy(*store, row->addr, bytes);
    row->addr = *store;
    return MPI_SUCCESS;
}

static int combine(const struct csp_side *row, const struct csp_side *target, MPI_Op op)
{
    struct csp_side here;
    char *store;
    int rc = as_row(target, row->type, &here, &store);
    if (rc == MPI_SUCCESS)
        rc = reduce(row, &here, op);
    if (rc == MPI_SUCCESS && store)
        rc = csp_side_copy(&here, target);
    free(store);
    return rc;
}

// What the calls have in common: `result` gets what was there (type MPI_DATATYPE_NULL: nobody asks),
// then `origin` is applied.
struct update {
    struct csp_side origin, result, target;
    MPI_Op op;
};

static int fetch(const struct update *u)
{
    return u->result.type == MPI_DATATYPE_NULL ? MPI_SUCCESS
                                               : csp_side_copy(&u->target, &u->result);
}

static int execute(struct csp_win *w, int target, const struct update *u,
                   const struct csp_side *row)
{
    csp_acc_lock(w, target);
    int rc = fetch(u);
    if (rc == MPI_SUCCESS && u->op == MPI_REPLACE)
        rc = csp_side_copy(&u->origin, &u->target);
    else if (rc == MPI_SUCCESS && u->op != MPI_NO_OP)
        rc = combine(row, &u->target, u->op);
    csp_acc_unlock(w, target);
    return rc;
}

// The largest piece in which it can be done without a copy of a whole side: whole elements, between sides apart, without gaps in
// themselves if they are computed with. @return 0: it cannot.
static MPI_Aint piece_of(const struct update *u, MPI_Datatype basic, int *size)
{
    struct csp_type store;
    const struct csp_type *elem;
    const struct csp_side *others[] = {&u->origin, &u->result};
    for (int i = 0; i < 2; i++)
        if (others[i]->type != MPI_DATATYPE_NULL &&
            (csp_side_bytes(others[i]) != csp_side_bytes(&u->target) ||
             overlap(others[i], &u->target)))
            return 0;
    if (csp_type_look(u->target.info.basic, &store, &elem) != MPI_SUCCESS ||
        (basic != MPI_DATATYPE_NULL && !elem->contig))
        return 0;
    *size = (int)elem->size;
    return CSP_PIECE_BYTES / *size * *size;
}

static struct csp_reduce_side side_from(const struct csp_side *s, MPI_Aint at)
{
    if (s->type == MPI_DATATYPE_NULL)
        return (struct csp_reduce_side){NULL, NULL, 0, 0};
    return (struct csp_reduce_side){s->addr, s->info.contig ? NULL : s->info.layout, s->count, at};
}

// The lock is given back now and then: others must not wait for long, and ghosts do not wait at all.
static int in_pieces(struct csp_win *w, int target, const struct update *u, MPI_Datatype basic,
                     int size, MPI_Aint most)
{
    int rc = MPI_SUCCESS;
    MPI_Aint all = csp_side_bytes(&u->target);
    for (MPI_Aint at = 0; at < all && rc == MPI_SUCCESS; at += most) {
        struct csp_reduce_sides s = {side_from(&u->origin, at), side_from(&u->target, at),
                                     side_from(&u->result, at)};
        csp_acc_lock(w, target);
        rc = csp_reduce_sides(&s, (size_t)(all - at < most ? all - at : most), size, basic, u->op);
        csp_acc_unlock(w, target);
    }
    return rc;
}

static int accumulate(struct csp_win *w, int target, const struct update *u, MPI_Datatype basic)
{
    int size;
    MPI_Aint most = piece_of(u, basic, &size);
    if (most > 0)
        return in_pieces(w, target, u, basic, size, most);
    struct csp_side row = {0};
    char *store = NULL;
    int rc = MPI_SUCCESS;
    if (basic != MPI_DATATYPE_NULL)
        rc = origin_row(&u->origin, &u->target, basic, &row, &store);
    if (rc == MPI_SUCCESS)
        rc = execute(w, target, u, &row);
    free(store);
    return rc;
}

int csp_acc_check(const struct csp_op *op, const struct csp_type *type, MPI_Datatype *basic)
{
    *basic = MPI_DATATYPE_NULL;
    if (op->kind >= CSP_OP_FOP && !type->named)
        return MPI_ERR_TYPE;
    if (op->kind == CSP_OP_CAS)
        return type->comparable ? MPI_SUCCESS : MPI_ERR_TYPE;
    if (type->basic == MPI_DATATYPE_NULL)
        return MPI_ERR_TYPE;
    if (op->op == MPI_REPLACE || op->op == MPI_NO_OP)
        return MPI_SUCCESS;
    *basic = type->basic;
    return csp_type_allows(*basic, op->op) ? MPI_SUCCESS : MPI_ERR_OP;
}

static void compare_and_swap(struct csp_win *w, const struct csp_op *op,
                             const struct csp_type *type, char *target)
{
    size_t bytes = (size_t)type->size;
    csp_acc_lock(w, op->target);
    memcpy(op->result, target, bytes);
    if (memcmp(target, op->compare, bytes) == 0)
        memcpy(target, op->origin, bytes);
    csp_acc_unlock(w, op->target);
}

static int is_apart(const char *a, const char *b, MPI_Aint bytes)
{
    return a + bytes <= b || b + bytes <= a;
}

// The usual case: `n` elements of one predefined type everywhere, without gaps, in one piece, the operand not in the target.
static inline int is_usual(const struct csp_op *op, const struct csp_type *type, csp_count_t n,
                           const char *target)
{
    int one = op->kind == CSP_OP_FOP, operand = op->op != MPI_NO_OP;
    if (!type->named || !type->contig || (MPI_Aint)n * type->size > CSP_PIECE_BYTES)
        return 0;
    if (operand && !is_apart(op->origin, target, (MPI_Aint)n * type->size))
        return 0;
    if (operand && !one && (op->origin_count != n || op->origin_type != op->target_type))
        return 0;
    return op->kind != CSP_OP_GET_ACC ||
           (op->result_count == n && op->result_type == op->target_type);
}

static int update_usual(struct csp_win *w, const struct csp_op *op, const struct csp_type *type,
                        size_t bytes, char *target)
{
    struct csp_reduction r = {.inout = target, .bytes = bytes};
    if (op->op != MPI_NO_OP)
        r.in = op->origin;
    if (op->kind != CSP_OP_ACC)
        r.was = op->result;
    csp_acc_lock(w, op->target);
    int rc = csp_reduce_fetch(&r, (int)type->size, csp_op_target_type(op), op->op);
    csp_acc_unlock(w, op->target);
    return rc;
}

static size_t swap_at_once(struct csp_win *w, const struct csp_op *op, const struct csp_type *t)
{
    size_t bytes;
    char *target = t->comparable && op->compare
                       ? csp_check_usual(w, t, 1, op->target, op->disp, &bytes)
                       : NULL;
    if (!target)
        return 0;
    compare_and_swap(w, op, t, target);
    return bytes;
}

static size_t update_at_once(struct csp_win *w, const struct csp_op *op, const struct csp_type *t)
{
    csp_compute_fn *fn = csp_type_usual_allows(t, op->op)
                             ? csp_reduce_function(csp_op_target_type(op), op->op)
                             : NULL;
    csp_count_t n = csp_op_target_count(op);
    size_t bytes;
    char *target = fn ? csp_check_usual(w, t, n, op->target, op->disp, &bytes) : NULL;
    if (!target || bytes > CSP_REDUCE_RUN || !is_usual(op, t, n, target))
        return 0;
    csp_acc_lock(w, op->target);
    if (op->kind != CSP_OP_ACC)
        csp_copy_bytes(op->result, target, bytes);
    fn(op->origin, target, (size_t)n);
    csp_acc_unlock(w, op->target);
    return bytes;
}

size_t csp_acc_at_once(struct csp_win *w, const struct csp_op *op)
{
    const struct csp_type *t = csp_type_usual(csp_op_target_type(op));
    if (!t || op->request || !op->origin || (op->kind != CSP_OP_ACC && !op->result))
        return 0;
    return op->kind == CSP_OP_CAS ? swap_at_once(w, op, t) : update_at_once(w, op, t);
}

int csp_acc_direct(struct csp_win *w, const struct csp_op *op, const struct csp_type *type,
                   MPI_Datatype basic, char *target)
{
    if (op->kind == CSP_OP_CAS) {
        compare_and_swap(w, op, type, target);
        return MPI_SUCCESS;
    }
    csp_count_t n = csp_op_target_count(op);
    if (CSP_LIKELY(is_usual(op, type, n, target)))
        return update_usual(w, op, type, (size_t)n * (size_t)type->size, target);
    int one = op->kind == CSP_OP_FOP, rc = MPI_SUCCESS;
    struct update u = {
        .op = op->op, .origin.type = MPI_DATATYPE_NULL, .result.type = MPI_DATATYPE_NULL};
    u.target = (struct csp_side){target, csp_op_target_count(op), csp_op_target_type(op), *type};
    if (op->op != MPI_NO_OP) // which ignores the origin's arguments
        rc = csp_side_get(op->origin, op->origin_count, op->origin_type, &u.origin);
    if (rc == MPI_SUCCESS && op->kind != CSP_OP_ACC)
        rc = csp_side_get(op->result, one ? 1 : op->result_count,
                          one ? op->origin_type : op->result_type, &u.result);
    return rc == MPI_SUCCESS ? accumulate(w, op->target, &u, basic) : rc;
}
