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

// Packs `count` elements of `from` and unpacks them into `to`; the MPI library knows all layouts.
// Counts beyond int go in rounds.
struct side {
    char *addr;
    csp_count_t count;
    MPI_Datatype type;
    struct csp_type info;
};

static int pack_all(const struct side *s, char *packed, MPI_Aint bytes, int unpack)
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

static int copy_any(const struct side *from, const struct side *to)
{
    char small[4096];
    MPI_Aint bytes = (MPI_Aint)from->count * from->info.size;
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

int csp_direct_copy(const struct csp_op *op, const struct csp_type *target_type, char *target)
{
    struct side mine = {
        .addr = (char *)(uintptr_t)op->origin, .count = op->origin_count, .type = op->origin_type};
    struct side theirs = {
        .addr = target, .count = op->target_count, .type = op->target_type, .info = *target_type};
    int rc = csp_type_get(op->origin_type, &mine.info);
    if (rc != MPI_SUCCESS)
        return rc;
    MPI_Aint have = (MPI_Aint)mine.count * mine.info.size;
    MPI_Aint room = (MPI_Aint)theirs.count * theirs.info.size;
    if (op->kind == CSP_OP_PUT)
        return have > room ? MPI_ERR_TRUNCATE : copy_any(&mine, &theirs);
    return room > have ? MPI_ERR_TRUNCATE : copy_any(&theirs, &mine);
}
