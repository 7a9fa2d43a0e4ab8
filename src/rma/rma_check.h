// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What is looked at before an operation is issued; docs/design/errors.md lists it. User role, any thread.
#ifndef CSP_RMA_CHECK_H
#define CSP_RMA_CHECK_H

#include <limits.h>
#include "base/config.h"
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

/**
 * For the usual operation by load and store: where `n` elements of a predefined type lie, at a target of this node whose memory ghosts
 * map, and how many bytes they have. @return NULL: elsewhere, or there is something to say about it that csp_check_op says.
 */
static inline char *csp_check_usual(struct csp_win *w, const struct csp_type *t, csp_count_t n,
                                    int target, MPI_Aint disp, size_t *bytes)
{
    MPI_Aint at;
    if (!t->contig || !w->iwin || n <= 0 || n > INT_MAX || disp < 0 ||
        (unsigned)target >= (unsigned)w->n)
        return NULL;
    const struct csp_peer *p = &w->peers[target];
    *bytes = (size_t)n * (size_t)t->size;
    if (p->node != csp_rt.node || *bytes == 0 || *bytes > p->size ||
        __builtin_mul_overflow(disp, (MPI_Aint)p->disp_unit, &at) ||
        (uint64_t)at > p->size - *bytes)
        return NULL;
    if (csp_config.checks && !csp_win_access_open(w, target))
        return NULL;
    return csp_win_local(w, target) + at; // under lock_all the node's lock is there (rma_lock.c)
}

/** 1 if the operation's target data lie in one piece of memory that this process attached. */
int csp_attach_covers(struct csp_win *w, const struct csp_op *op, const struct csp_aim *aim);

/** MPI_ERR_ASSERT for an assertion that is not among `allowed`. */
static inline int csp_check_assert(int assertion, int allowed)
{
    return assertion & ~allowed ? MPI_ERR_ASSERT : MPI_SUCCESS;
}

#endif
