// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_direct.h"

int csp_side_copy(const struct csp_side *from, const struct csp_side *to)
{
    struct csp_layout_cursor f, t;
    MPI_Aint bytes = csp_side_bytes(from);
    if (bytes > csp_side_bytes(to))
        return MPI_ERR_TRUNCATE;
    if (from->info.contig && to->info.contig) {
        csp_copy_bytes(to->addr, from->addr, (size_t)bytes);
        return MPI_SUCCESS;
    }
    if (csp_layout_begin(&f, from->info.layout, 0, from->count) != CSP_OK ||
        csp_layout_begin(&t, to->info.layout, 0, to->count) != CSP_OK)
        return MPI_ERR_COUNT;
    csp_layout_copy(&f, from->addr, &t, to->addr, (size_t)bytes);
    return MPI_SUCCESS;
}

int csp_side_get(const void *addr, csp_count_t count, MPI_Datatype type, struct csp_side *side)
{
    *side = (struct csp_side){.addr = (char *)(uintptr_t)addr, .count = count, .type = type};
    return csp_type_get(type, &side->info);
}

// Both sides without gaps, as nearly always: one copy.
static int copy_block(const struct csp_op *op, size_t mine, char *target, size_t theirs)
{
    void *origin = (void *)(uintptr_t)op->origin;
    int put = op->kind == CSP_OP_PUT;
    if (put ? mine > theirs : theirs > mine)
        return MPI_ERR_TRUNCATE;
    if (put)
        csp_copy_bytes(target, origin, mine);
    else
        csp_copy_bytes(origin, target, theirs);
    return MPI_SUCCESS;
}

static int copy_layouts(const struct csp_op *op, const struct csp_type *mine,
                        const struct csp_type *theirs, char *target)
{
    struct csp_side a = {(char *)(uintptr_t)op->origin, op->origin_count, op->origin_type, *mine};
    struct csp_side b = {target, op->target_count, op->target_type, *theirs};
    return op->kind == CSP_OP_PUT ? csp_side_copy(&a, &b) : csp_side_copy(&b, &a);
}

int csp_direct_copy(const struct csp_op *op, const struct csp_type *theirs, char *target)
{
    struct csp_type store;
    const struct csp_type *mine = theirs;
    int rc = MPI_SUCCESS;
    if (op->origin_type != op->target_type)
        rc = csp_type_look(op->origin_type, &store, &mine);
    if (CSP_UNLIKELY(rc != MPI_SUCCESS))
        return rc;
    if (CSP_LIKELY(mine->contig && theirs->contig))
        return copy_block(op, (size_t)(op->origin_count * mine->size), target,
                          (size_t)(op->target_count * theirs->size));
    return copy_layouts(op, mine, theirs, target);
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
