// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_direct.h"

// What both kinds of caller know of the data that leave, or arrive.
struct end {
    const struct csp_type *type;
    csp_count_t count;
    char *addr;
};

static int copy(const struct end *from, const struct end *to)
{
    struct csp_layout_cursor f, t;
    MPI_Aint bytes = (MPI_Aint)from->count * from->type->size;
    if (bytes > (MPI_Aint)to->count * to->type->size)
        return MPI_ERR_TRUNCATE;
    if (CSP_LIKELY(from->type->contig && to->type->contig)) {
        csp_copy_bytes(to->addr, from->addr, (size_t)bytes);
        return MPI_SUCCESS;
    }
    if (csp_layout_begin(&f, from->type->layout, 0, from->count) != CSP_OK ||
        csp_layout_begin(&t, to->type->layout, 0, to->count) != CSP_OK)
        return MPI_ERR_COUNT;
    csp_layout_copy(&f, from->addr, &t, to->addr, (size_t)bytes);
    return MPI_SUCCESS;
}

int csp_side_copy(const struct csp_side *from, const struct csp_side *to)
{
    return copy(&(struct end){&from->info, from->count, from->addr},
                &(struct end){&to->info, to->count, to->addr});
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
    int rc = MPI_SUCCESS;
    if (op->origin_type != op->target_type)
        rc = csp_type_look(op->origin_type, &store, &mine);
    if (CSP_UNLIKELY(rc != MPI_SUCCESS))
        return rc;
    struct end here = {mine, op->origin_count, (char *)(uintptr_t)op->origin};
    struct end there = {theirs, op->target_count, target};
    return op->kind == CSP_OP_PUT ? copy(&here, &there) : copy(&there, &here);
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
