// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What a route needs to know of a datatype. Predefined types are remembered (they never change);
// derived ones are asked each time. User role, any thread.
#ifndef CSP_RMA_TYPE_H
#define CSP_RMA_TYPE_H

#include <mpi.h>
#include "rma/rma_op.h"

struct csp_type {
    MPI_Aint size;                 // bytes of data
    MPI_Aint extent;               // from one element to the next
    MPI_Aint true_lb, true_extent; // where the data lies
    int named;                     // predefined
    int contig; // elements follow each other without gaps, in the order of memory
};

/** @return MPI error code (MPI_ERR_TYPE for MPI_DATATYPE_NULL and uncommitted nonsense). */
int csp_type_get(MPI_Datatype type, struct csp_type *out);

/** The predefined type that a derived one consists of; a predefined one is its own. @return MPI error
 * code, MPI_ERR_TYPE if there are several. */
int csp_type_basic(MPI_Datatype type, const struct csp_type *info, MPI_Datatype *basic);

/** 1 if `op` is predefined and the MPI library allows it for this predefined type in a reduction. */
int csp_type_allows(MPI_Datatype named, MPI_Op op);

/** Byte range [*lo, *hi) that `count` elements touch, relative to the first one's address. */
static inline void csp_type_range(const struct csp_type *t, csp_count_t count, MPI_Aint *lo,
                                  MPI_Aint *hi)
{
    MPI_Aint last = count > 0 ? (MPI_Aint)(count - 1) * t->extent : 0;
    *lo = t->true_lb + (last < 0 ? last : 0);
    *hi = t->true_lb + (last > 0 ? last : 0) + t->true_extent;
}

#endif
