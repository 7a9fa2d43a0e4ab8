// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_direct.h"

#include <string.h>

// One element at once: a reader of an aligned 8-byte word sees the old or the new one.
static void copy_bytes(void *to, const void *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else
        memmove(to, from, bytes);
}

int csp_side_copy(const struct csp_side *from, const struct csp_side *to)
{
    struct csp_layout_cursor f, t;
    MPI_Aint bytes = csp_side_bytes(from);
    if (bytes > csp_side_bytes(to))
        return MPI_ERR_TRUNCATE;
    if (from->info.contig && to->info.contig) {
        copy_bytes(to->addr, from->addr, (size_t)bytes);
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

int csp_direct_copy(const struct csp_op *op, const struct csp_type *target_type, char *target)
{
    struct csp_side mine, theirs = {.addr = target,
                                    .count = op->target_count,
                                    .type = op->target_type,
                                    .info = *target_type};
    int rc = csp_side_get(op->origin, op->origin_count, op->origin_type, &mine);
    if (rc != MPI_SUCCESS)
        return rc;
    return op->kind == CSP_OP_PUT ? csp_side_copy(&mine, &theirs) : csp_side_copy(&theirs, &mine);
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
