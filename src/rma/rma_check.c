// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Always: the target's rank, that the data lie within the target's part and fit where they go, since another
// process's memory, or nothing, is next to it, and that the types can be described. With CSP_CHECKS=on also
// what the program alone suffers from.
#include "rma/rma_check.h"

#include "rma/rma_acc.h"

int csp_win_raise(struct csp_win *w, int code)
{
    csp_mpi.Win_call_errhandler(w->handle, code);
    return code;
}

// Two factors of a size in bytes: MPI counts go up to 2^63-1.
static int beyond(csp_count_t count, MPI_Aint each)
{
    MPI_Aint product;
    return __builtin_mul_overflow((MPI_Aint)count, each, &product);
}

// Where the target data lies, in bytes from the start of the target's part.
static int place(const struct csp_win *w, const struct csp_op *op, struct csp_aim *a)
{
    const struct csp_peer *p = &w->peers[op->target];
    MPI_Aint lo, hi;
    if (op->disp < 0 && w->attr_flavor != MPI_WIN_FLAVOR_DYNAMIC)
        return MPI_ERR_DISP;
    if (__builtin_mul_overflow(op->disp, (MPI_Aint)p->disp_unit, &a->at))
        return MPI_ERR_DISP;
    csp_type_range(a->type, csp_op_target_count(op), &lo, &hi);
    if (__builtin_add_overflow(a->at, lo, &lo) || __builtin_add_overflow(a->at, hi, &hi) ||
        lo < 0 || (uint64_t)hi > p->size)
        return MPI_ERR_RMA_RANGE;
    return MPI_SUCCESS;
}

// A buffer of the origin.
struct buffer {
    const void *addr;
    csp_count_t count;
    MPI_Datatype type;
    MPI_Aint bytes; // of its data
};

// What an accumulate computes with must be of one type on all sides (MPI-4.1 12.3.4). Two names of one type
// (MPI_LONG, MPI_INT64_T) do no harm.
static int mixes(const struct csp_type *own, const struct csp_aim *a)
{
    return csp_config.checks && a->basic != MPI_DATATYPE_NULL && own->size > 0 &&
           !csp_type_alike(own->basic, a->basic);
}

// That it is there at all: MPI_BOTTOM is NULL too, with the addresses in its types.
static int look_at(struct buffer *b, const struct csp_op *op, struct csp_aim *a)
{
    struct csp_type store;
    const struct csp_type *t = a->type;
    if (b->type != csp_op_target_type(op)) {
        int rc = csp_type_look(b->type, &store, &t);
        if (rc != MPI_SUCCESS)
            return rc;
        if (mixes(t, a))
            return MPI_ERR_TYPE;
    }
    if (beyond(b->count, t->size))
        return MPI_ERR_COUNT;
    b->bytes = (MPI_Aint)b->count * t->size;
    a->hollow |= t->hollow;
    return csp_config.checks && !b->addr && b->bytes > 0 && t->true_lb == 0 ? MPI_ERR_BUFFER
                                                                            : MPI_SUCCESS;
}

static int fits_origin(const struct csp_op *op, struct csp_aim *a)
{
    if (CSP_LIKELY(op->origin_type == op->target_type && op->origin_count == op->target_count &&
                   op->origin))
        return MPI_SUCCESS;
    struct buffer b = {op->origin, op->origin_count, op->origin_type, 0};
    int rc = look_at(&b, op, a);
    if (rc != MPI_SUCCESS)
        return rc;
    return (op->kind == CSP_OP_GET ? b.bytes < a->bytes : b.bytes > a->bytes) ? MPI_ERR_TRUNCATE
                                                                              : MPI_SUCCESS;
}

static int fits_result(const struct csp_op *op, struct csp_aim *a)
{
    struct buffer b = {op->result, op->result_count, op->result_type, 0};
    int rc = look_at(&b, op, a);
    return rc == MPI_SUCCESS && b.bytes < a->bytes ? MPI_ERR_TRUNCATE : rc;
}

// FOP and CAS: one element of one type on all sides.
static int has_buffers(const struct csp_op *op)
{
    if (!csp_config.checks)
        return MPI_SUCCESS;
    int origin = op->origin || (op->kind == CSP_OP_FOP && op->op == MPI_NO_OP);
    int compare = op->compare || op->kind == CSP_OP_FOP;
    return origin && compare && op->result ? MPI_SUCCESS : MPI_ERR_BUFFER;
}

static int fits(const struct csp_op *op, struct csp_aim *a)
{
    if (op->kind >= CSP_OP_FOP)
        return has_buffers(op);
    int no_origin = op->kind == CSP_OP_GET_ACC && op->op == MPI_NO_OP;
    int rc = no_origin ? MPI_SUCCESS : fits_origin(op, a);
    return rc == MPI_SUCCESS && op->kind == CSP_OP_GET_ACC ? fits_result(op, a) : rc;
}

// An epoch that is open to the target, and counts.
static int check_call(struct csp_win *w, const struct csp_op *op)
{
    if (CSP_UNLIKELY(!csp_win_access_open(w, op->target)))
        return MPI_ERR_RMA_SYNC;
    if (CSP_UNLIKELY(csp_op_target_count(op) < 0 || op->origin_count < 0 ||
                     (op->kind == CSP_OP_GET_ACC && op->result_count < 0)))
        return MPI_ERR_COUNT;
    return MPI_SUCCESS;
}

int csp_check_op(struct csp_win *w, const struct csp_op *op, struct csp_aim *a)
{
    a->bytes = 0;
    if (op->target == MPI_PROC_NULL)
        return MPI_SUCCESS;
    if (CSP_UNLIKELY((unsigned)op->target >= (unsigned)w->n))
        return MPI_ERR_RANK;
    int rc = csp_config.checks ? check_call(w, op) : MPI_SUCCESS;
    if (rc == MPI_SUCCESS)
        rc = csp_type_look(csp_op_target_type(op), &a->store, &a->type);
    if (CSP_UNLIKELY(rc != MPI_SUCCESS))
        return rc;
    csp_count_t count = csp_op_target_count(op);
    a->basic = MPI_DATATYPE_NULL;
    a->hollow = a->type->hollow;
    if (count <= 0 || a->type->size == 0)
        return MPI_SUCCESS;
    if (beyond(count, a->type->size) || beyond(count, a->type->extent))
        return MPI_ERR_COUNT;
    a->bytes = (MPI_Aint)count * a->type->size;
    rc = place(w, op, a);
    if (rc == MPI_SUCCESS && op->kind > CSP_OP_GET)
        rc = csp_acc_check(op, a->type, &a->basic);
    return rc == MPI_SUCCESS ? fits(op, a) : rc;
}
