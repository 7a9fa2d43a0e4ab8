// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_direct.h"

#include <limits.h>
#include <stdlib.h>
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

// The MPI library refuses to pack at the null pointer: the same elements, seen from another address.
static int move_bottom(struct csp_side *s, MPI_Datatype *moved)
{
    static char here;
    MPI_Aint at;
    *moved = MPI_DATATYPE_NULL;
    if (s->addr != MPI_BOTTOM)
        return MPI_SUCCESS;
    int rc = csp_mpi.Get_address(&here, &at);
    at = -at;
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.Type_create_hindexed_block(1, 1, &at, s->type, moved);
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.Type_commit(moved);
    s->addr = &here;
    s->type = *moved;
    return rc;
}

// Packs all of a side, or unpacks into it; the MPI library knows all layouts. Counts beyond int go
// in rounds.
static int pack_rounds(const struct csp_side *s, char *packed, MPI_Aint bytes, int unpack)
{
    csp_count_t done = 0;
    csp_count_t most = s->info.size > 0 ? INT_MAX / s->info.size : INT_MAX;
    if (most == 0)
        return MPI_ERR_COUNT; // one element of 2 GiB or more: only the _c functions can
    while (done < s->count) {
        csp_count_t n = s->count - done < most ? s->count - done : most;
        char *user = s->addr + (MPI_Aint)done * s->info.extent;
        char *here = packed + (MPI_Aint)done * s->info.size;
        MPI_Aint left = bytes - (MPI_Aint)done * s->info.size;
        int room = left > INT_MAX ? INT_MAX : (int)left, pos = 0;
        int rc = unpack ? csp_mpi.Unpack(here, room, &pos, user, (int)n, s->type, csp_rt.self)
                        : csp_mpi.Pack(user, (int)n, s->type, here, room, &pos, csp_rt.self);
        if (rc != MPI_SUCCESS)
            return rc;
        done += n;
    }
    return MPI_SUCCESS;
}

static int pack_all(const struct csp_side *side, char *packed, MPI_Aint bytes, int unpack)
{
    MPI_Datatype moved;
    struct csp_side s = *side;
    int rc = move_bottom(&s, &moved);
    if (rc == MPI_SUCCESS)
        rc = pack_rounds(&s, packed, bytes, unpack);
    if (moved != MPI_DATATYPE_NULL)
        csp_mpi.Type_free(&moved);
    return rc;
}

int csp_side_copy(const struct csp_side *from, const struct csp_side *to)
{
    char small[4096];
    MPI_Aint bytes = csp_side_bytes(from);
    if (bytes > csp_side_bytes(to))
        return MPI_ERR_TRUNCATE;
    if (from->info.contig && to->info.contig) {
        copy_bytes(to->addr, from->addr, (size_t)bytes);
        return MPI_SUCCESS;
    }
    if (from->info.contig)
        return pack_all(to, from->addr, bytes, 1);
    if (to->info.contig)
        return pack_all(from, to->addr, bytes, 0);
    char *packed = bytes <= (MPI_Aint)sizeof(small) ? small : malloc((size_t)bytes);
    if (!packed)
        return MPI_ERR_NO_MEM;
    int rc = pack_all(from, packed, bytes, 0);
    if (rc == MPI_SUCCESS)
        rc = pack_all(to, packed, bytes, 1);
    if (packed != small)
        free(packed);
    return rc;
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
