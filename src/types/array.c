// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// One dimension at a time, the fastest first. Each gives a type whose extent is that of the whole
// array so far, so that the next one need only repeat it.
#include "types/array.h"

#include <mpi.h>
#include <stddef.h>

// What this process has of one dimension: `blocks` runs of `len` entries, `step` apart, from `start`,
// and behind them one of `rest`.
struct share {
    int64_t start, len, blocks, step, rest;
};

// `child` is used up, whatever comes out.
static enum csp_status add_dim(struct csp_layout *child, const struct share *s, int64_t size,
                               struct csp_layout **out)
{
    struct csp_layout *blocks = NULL, *all = NULL;
    int64_t e = child->extent, extent, start, step, last;
    int64_t lengths[] = {1, s->rest};
    *out = NULL;
    int too_large = __builtin_mul_overflow(size, e, &extent) ||
                    __builtin_mul_overflow(s->start, e, &start) ||
                    __builtin_mul_overflow(s->step, e, &step) ||
                    __builtin_mul_overflow(s->start + s->blocks * s->step, e, &last);
    enum csp_status status =
        too_large ? CSP_ERR_ARG : csp_layout_hvector(child, s->blocks, s->len, step, &blocks);
    if (status == CSP_OK) {
        const struct csp_layout *both[] = {blocks, child};
        status = csp_layout_struct(2, lengths, (int64_t[]){start, last}, both, &all);
    }
    if (status == CSP_OK)
        status = csp_layout_resized(all, 0, extent, out);
    csp_layout_free(all);
    csp_layout_free(blocks);
    csp_layout_free(child);
    return status;
}

// shares[i] of dimension i.
static enum csp_status add_dims(const struct share *shares, const int64_t *sizes, int64_t dims,
                                int fortran, const struct csp_layout *child,
                                struct csp_layout **out)
{
    enum csp_status status = csp_layout_resized(child, child->lb, child->extent, out);
    for (int64_t k = 0; k < dims && status == CSP_OK; k++) {
        int64_t i = fortran ? k : dims - 1 - k;
        status = add_dim(*out, &shares[i], sizes[i], out);
    }
    return status;
}

enum csp_status csp_array_sub(const struct csp_subarray *a, const struct csp_layout *child,
                              struct csp_layout **out)
{
    struct share shares[a->dims > 0 ? a->dims : 1];
    for (int64_t i = 0; i < a->dims; i++)
        shares[i] = (struct share){a->starts[i], a->subsizes[i], 1, 0, 0};
    return add_dims(shares, a->sizes, a->dims, a->fortran, child, out);
}

// Every distribution is a cyclic one: that by blocks has one round, none at all one process.
static struct share cyclic(const struct csp_darray *a, int64_t i, int64_t coord)
{
    int64_t size = a->sizes[i], procs = a->grid[i], k = a->args[i];
    if (a->distribs[i] == MPI_DISTRIBUTE_NONE)
        k = size;
    else if (k == MPI_DISTRIBUTE_DFLT_DARG)
        k = a->distribs[i] == MPI_DISTRIBUTE_BLOCK ? (size + procs - 1) / procs : 1;
    struct share s = {.start = coord * k, .len = k, .step = procs * k};
    if (size - s.start >= k)
        s.blocks = (size - s.start - k) / s.step + 1;
    int64_t next = s.start + s.blocks * s.step;
    s.rest = next < size ? size - next : 0;
    return s;
}

enum csp_status csp_array_dist(const struct csp_darray *a, const struct csp_layout *child,
                               struct csp_layout **out)
{
    struct share shares[a->dims > 0 ? a->dims : 1];
    int64_t rank = a->rank, procs = a->procs;
    for (int64_t i = 0; i < a->dims; i++) { // ranks in the grid are in C order, always
        procs /= a->grid[i];
        shares[i] = cyclic(a, i, rank / procs);
        rank %= procs;
    }
    return add_dims(shares, a->sizes, a->dims, a->fortran, child, out);
}
