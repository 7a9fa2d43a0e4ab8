// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Operations by load and store, at a target whose memory this process maps; complete on return.
#ifndef CSP_RMA_DIRECT_H
#define CSP_RMA_DIRECT_H

#include <string.h>
#include "base/copy.h"
#include "types/type.h"
#include "rma/rma_win.h"

/** One side of a copy: `count` elements of a type. */
struct csp_side {
    char *addr;
    csp_count_t count;
    MPI_Datatype type;
    struct csp_type info; // of `type`
};

/** @return MPI error code. */
int csp_side_get(const void *addr, csp_count_t count, MPI_Datatype type, struct csp_side *side);

static inline MPI_Aint csp_side_bytes(const struct csp_side *s)
{
    return (MPI_Aint)s->count * s->info.size;
}

/** Copies all of `from`; `to` has room for it, or MPI_ERR_TRUNCATE. @return MPI error code. */
int csp_side_copy(const struct csp_side *from, const struct csp_side *to);

/** Bytes [first, first + bytes) of the side's stream, to or from a buffer. */
void csp_side_pack(const struct csp_side *side, int64_t first, char *to, size_t bytes);
void csp_side_unpack(const struct csp_side *side, int64_t first, const char *from, size_t bytes);

/** PUT and GET between the origin buffer and `target` (an address). @return MPI error code. */
int csp_direct_copy(const struct csp_op *op, const struct csp_type *target_type, char *target);

#endif
