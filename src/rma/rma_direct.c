// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_direct.h"

// `bytes` are no more than either side has.
static int copy_gapped(const struct csp_layout *from, csp_count_t from_count, const char *source,
                       const struct csp_layout *to, csp_count_t to_count, char *target,
                       MPI_Aint bytes)
{
    struct csp_layout_cursor f, t;
    if (csp_layout_begin(&f, from, 0, from_count) != CSP_OK ||
        csp_layout_begin(&t, to, 0, to_count) != CSP_OK)
        return MPI_ERR_COUNT;
    csp_layout_copy(&f, source, &t, target, (size_t)bytes);
    return MPI_SUCCESS;
}

int csp_side_copy(const struct csp_side *from, const struct csp_side *to)
{
    MPI_Aint bytes = csp_side_bytes(from);
    if (bytes > csp_side_bytes(to))
        return MPI_ERR_TRUNCATE;
    if (!from->info.contig || !to->info.contig)
        return copy_gapped(from->info.layout, from->count, from->addr, to->info.layout, to->count,
                           to->addr, bytes);
    csp_copy_bytes(to->addr, from->addr, (size_t)bytes);
    return MPI_SUCCESS;
}

int csp_side_get(const void *addr, csp_count_t count, MPI_Datatype type, struct csp_side *side)
{
    *side = (struct csp_side){.addr = (char *)(uintptr_t)addr, .count = count, .type = type};
    return csp_type_get(type, &side->info);
}

int csp_direct_copy(const struct csp_op *op, const struct csp_type *theirs, char *target)
{
    struct csp_type store;
    const struct csp_type *mine = theirs;
    int rc = MPI_SUCCESS, put = op->kind == CSP_OP_PUT;
    if (op->origin_type != op->target_type)
        rc = csp_type_look(op->origin_type, &store, &mine);
    if (CSP_UNLIKELY(rc != MPI_SUCCESS))
        return rc;
    char *origin = (char *)(uintptr_t)op->origin;
    MPI_Aint here = (MPI_Aint)op->origin_count * mine->size;
    MPI_Aint there = (MPI_Aint)op->target_count * theirs->size;
    if (put ? here > there : there > here)
        return MPI_ERR_TRUNCATE;
    if (CSP_UNLIKELY(!mine->contig || !theirs->contig))
        return put ? copy_gapped(mine->layout, op->origin_count, origin, theirs->layout,
                                 op->target_count, target, here)
                   : copy_gapped(theirs->layout, op->target_count, target, mine->layout,
                                 op->origin_count, origin, there);
    if (put)
        csp_copy_bytes(target, origin, (size_t)here);
    else
        csp_copy_bytes(origin, target, (size_t)there);
    return MPI_SUCCESS;
}

// @return 1 if the side has data at all.
static int cursor_at(const struct csp_side *side, int64_t first, struct csp_layout_cursor *c)
{
    if (csp_layout_begin(c, side->info.layout, 0, side->count) != CSP_OK)
        return 0; // beyond the address space
    csp_layout_seek(c, first);
    return 1;
}

void csp_side_pack(const struct csp_side *side, int64_t first, char *to, size_t bytes)
{
    struct csp_layout_cursor c;
    if (side->info.contig)
        memcpy(to, side->addr + first, bytes);
    else if (cursor_at(side, first, &c))
        csp_layout_pack(&c, side->addr, to, bytes);
}

void csp_side_unpack(const struct csp_side *side, int64_t first, const char *from, size_t bytes)
{
    struct csp_layout_cursor c;
    if (side->info.contig)
        memcpy(side->addr + first, from, bytes);
    else if (cursor_at(side, first, &c))
        csp_layout_unpack(&c, side->addr, from, bytes);
}
