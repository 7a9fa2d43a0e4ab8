// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Each combiner by the constructors of src/dtype. The bounds at every level are those that the MPI
// library says: padding is its own.
#include "types/compile.h"

#include <stdlib.h>
#include <string.h>
#include "types/array.h"
#include "types/contents.h"
#include "types/type.h"
#include "runtime/rt.h"

static int to_mpi(enum csp_status status)
{
    if (status == CSP_OK)
        return MPI_SUCCESS;
    return status == CSP_ERR_NOMEM ? MPI_ERR_NO_MEM : MPI_ERR_TYPE;
}

// With the bounds that the MPI library has for the type; `l` is used up.
static enum csp_status bounded(struct csp_layout *l, MPI_Datatype type, struct csp_layout **out)
{
    MPI_Aint lb, extent;
    *out = l;
    if (csp_mpi.Type_get_extent(type, &lb, &extent) != MPI_SUCCESS)
        return CSP_ERR_MPI;
    if (l->lb == lb && l->extent == extent)
        return CSP_OK;
    enum csp_status status = csp_layout_resized(l, lb, extent, out);
    csp_layout_free(l);
    return status;
}

enum { NAMED_MAX = 128, NOT_PACKED = 255 }; // bytes of a predefined type, at most; no index of one

// Bytes that hold their own index are packed. A library may leave the padding inside a long double
// out: it follows what is before it.
static int pack_indices(MPI_Datatype type, int size, int64_t *disp)
{
    unsigned char index[NAMED_MAX], packed[NAMED_MAX];
    int pos = 0;
    for (int i = 0; i < NAMED_MAX; i++)
        index[i] = (unsigned char)i;
    memset(packed, NOT_PACKED, sizeof(packed));
    int rc = csp_mpi.Pack(index, 1, type, packed, size, &pos, csp_rt.self);
    for (int i = 0; i < size; i++)
        disp[i] = packed[i] != NOT_PACKED ? packed[i] : i > 0 ? disp[i - 1] + 1 : 0;
    return rc == MPI_SUCCESS && pos != size ? MPI_ERR_TYPE : rc;
}

// The runs of a pair with a gap inside.
static int learn_runs(MPI_Datatype type, int size, struct csp_layout **out)
{
    int64_t disp[NAMED_MAX];
    struct csp_layout *byte;
    int rc = size <= NAMED_MAX ? pack_indices(type, size, disp) : MPI_ERR_TYPE;
    if (rc != MPI_SUCCESS)
        return rc;
    enum csp_status status = csp_layout_block(1, &byte);
    if (status == CSP_OK)
        status = csp_layout_hindexed_block(byte, size, 1, disp, out);
    csp_layout_free(byte);
    return to_mpi(status);
}

int csp_layout_learn(MPI_Datatype type, struct csp_layout **out)
{
    struct csp_layout *l = NULL;
    MPI_Aint true_lb, true_extent;
    int size;
    int rc = csp_mpi.Type_size(type, &size);
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.Type_get_true_extent(type, &true_lb, &true_extent);
    if (rc != MPI_SUCCESS)
        return rc;
    if (size == true_extent)
        rc = to_mpi(csp_layout_block(size, &l));
    else
        rc = true_extent <= NAMED_MAX ? learn_runs(type, size, &l) : MPI_ERR_TYPE;
    return rc == MPI_SUCCESS ? to_mpi(bounded(l, type, out)) : rc;
}

// Displacements in extents of the child.
static enum csp_status in_bytes(const int64_t *disp, int64_t n, int64_t extent, int64_t **bytes)
{
    *bytes = malloc((size_t)(n + 1) * sizeof(int64_t));
    if (!*bytes)
        return CSP_ERR_NOMEM;
    for (int64_t i = 0; i < n; i++)
        if (__builtin_mul_overflow(disp[i], extent, &(*bytes)[i]))
            return CSP_ERR_ARG;
    return CSP_OK;
}

// VECTOR and HVECTOR.
static enum csp_status vector(struct csp_contents *c, const struct csp_layout *child,
                              struct csp_layout **out)
{
    int64_t count = *csp_contents_counts(c, 1), length = *csp_contents_counts(c, 1), stride;
    if (c->combiner == MPI_COMBINER_HVECTOR)
        stride = *csp_contents_addrs(c, 1);
    else if (__builtin_mul_overflow(*csp_contents_counts(c, 1), child->extent, &stride))
        return CSP_ERR_ARG;
    return csp_layout_hvector(child, count, length, stride, out);
}

// INDEXED, INDEXED_BLOCK and their forms with displacements in bytes.
static enum csp_status indexed(struct csp_contents *c, const struct csp_layout *child,
                               struct csp_layout **out)
{
    int block =
        c->combiner == MPI_COMBINER_INDEXED_BLOCK || c->combiner == MPI_COMBINER_HINDEXED_BLOCK;
    int h = c->combiner == MPI_COMBINER_HINDEXED || c->combiner == MPI_COMBINER_HINDEXED_BLOCK;
    int64_t n = *csp_contents_counts(c, 1), *bytes = NULL;
    const int64_t *lengths = csp_contents_counts(c, block ? 1 : n);
    const int64_t *disp = h ? csp_contents_addrs(c, n) : csp_contents_counts(c, n);
    enum csp_status status = h ? CSP_OK : in_bytes(disp, n, child->extent, &bytes);
    disp = h ? disp : bytes;
    if (status == CSP_OK)
        status = block ? csp_layout_hindexed_block(child, n, *lengths, disp, out)
                       : csp_layout_hindexed(child, n, lengths, disp, out);
    free(bytes);
    return status;
}

static enum csp_status structure(struct csp_contents *c, struct csp_layout **children,
                                 struct csp_layout **out)
{
    int64_t n = *csp_contents_counts(c, 1);
    const int64_t *lengths = csp_contents_counts(c, n), *disp = csp_contents_addrs(c, n);
    return csp_layout_struct(n, lengths, disp, (const struct csp_layout *const *)children, out);
}

static enum csp_status subarray(struct csp_contents *c, const struct csp_layout *child,
                                struct csp_layout **out)
{
    struct csp_subarray a = {.dims = *csp_contents_ints(c, 1)};
    a.sizes = csp_contents_counts(c, a.dims);
    a.subsizes = csp_contents_counts(c, a.dims);
    a.starts = csp_contents_counts(c, a.dims);
    a.fortran = *csp_contents_ints(c, 1) == MPI_ORDER_FORTRAN;
    return csp_array_sub(&a, child, out);
}

static enum csp_status darray(struct csp_contents *c, const struct csp_layout *child,
                              struct csp_layout **out)
{
    struct csp_darray a = {.procs = *csp_contents_ints(c, 1)};
    a.rank = *csp_contents_ints(c, 1);
    a.dims = *csp_contents_ints(c, 1);
    a.sizes = csp_contents_counts(c, a.dims);
    a.distribs = csp_contents_ints(c, a.dims);
    a.args = csp_contents_ints(c, a.dims);
    a.grid = csp_contents_ints(c, a.dims);
    a.fortran = *csp_contents_ints(c, 1) == MPI_ORDER_FORTRAN;
    return csp_array_dist(&a, child, out);
}

static enum csp_status combine(struct csp_contents *c, struct csp_layout **children,
                               struct csp_layout **out)
{
    const struct csp_layout *child = c->type_count ? children[0] : NULL;
    if (!child && c->combiner != MPI_COMBINER_STRUCT)
        return CSP_ERR_ARG; // only a struct may be of nothing
    switch (c->combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED: // the bounds come last, as for every type
        return csp_layout_resized(child, child->lb, child->extent, out);
    case MPI_COMBINER_CONTIGUOUS:
        return csp_layout_hvector(child, *csp_contents_counts(c, 1), 1, child->extent, out);
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        return vector(c, child, out);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        return indexed(c, child, out);
    case MPI_COMBINER_STRUCT:
        return structure(c, children, out);
    case MPI_COMBINER_SUBARRAY:
        return subarray(c, child, out);
    case MPI_COMBINER_DARRAY:
        return darray(c, child, out);
    default:
        csp_error("a datatype with the combiner %d is not one that MPI-4.1 has", c->combiner);
        return CSP_ERR_ARG;
    }
}

static int compile(MPI_Datatype type, struct csp_layout **out, MPI_Datatype *basic, int *hollow);

// Whether inner type `i` brings data. What brings none says nothing of the type of the data.
static int contributes(const struct csp_contents *c, int64_t i, const struct csp_layout *child)
{
    if (c->combiner != MPI_COMBINER_STRUCT)
        return child->size_bytes > 0;
    struct csp_contents again = *c; // read once more by the constructor
    int64_t n = *csp_contents_counts(&again, 1);
    return child->size_bytes > 0 && csp_contents_counts(&again, n)[i] > 0;
}

// The layouts of all inner types; of those that are done in any case. *basic: of those with data.
static int compile_children(struct csp_contents *c, struct csp_layout **children,
                            MPI_Datatype *basic, int *hollow)
{
    int rc = MPI_SUCCESS, found = 0;
    for (int64_t i = 0; i < c->type_count && rc == MPI_SUCCESS; i++) {
        MPI_Datatype inner;
        rc = compile(c->types[i], &children[i], &inner, hollow);
        if (rc != MPI_SUCCESS)
            break;
        if (!contributes(c, i, children[i])) {
            *hollow = 1;
            continue;
        }
        *basic = found && inner != *basic ? MPI_DATATYPE_NULL : inner;
        found = 1;
    }
    return rc;
}

static int compile_contents(MPI_Datatype type, struct csp_contents *c, struct csp_layout **out,
                            MPI_Datatype *basic, int *hollow)
{
    struct csp_layout *l, **children = calloc((size_t)c->type_count + 1, sizeof(*children));
    int rc = children ? compile_children(c, children, basic, hollow) : MPI_ERR_NO_MEM;
    if (rc == MPI_SUCCESS)
        rc = to_mpi(combine(c, children, &l));
    if (rc == MPI_SUCCESS)
        rc = to_mpi(bounded(l, type, out));
    for (int64_t i = 0; children && i < c->type_count; i++)
        csp_layout_free(children[i]);
    free(children);
    return rc;
}

static int compile(MPI_Datatype type, struct csp_layout **out, MPI_Datatype *basic, int *hollow)
{
    struct csp_contents c;
    struct csp_type info;
    *basic = MPI_DATATYPE_NULL;
    int rc = csp_contents_get(type, &c);
    if (rc != MPI_SUCCESS)
        return rc;
    if (!csp_combiner_is_predefined(c.combiner)) {
        rc = compile_contents(type, &c, out, basic, hollow);
        csp_contents_free(&c);
        return rc;
    }
    rc = csp_type_get(type, &info);
    if (rc == MPI_SUCCESS)
        *basic = info.basic;
    return rc == MPI_SUCCESS
               ? to_mpi(csp_layout_resized(info.layout, info.layout->lb, info.extent, out))
               : rc;
}

int csp_layout_compile(MPI_Datatype type, struct csp_layout **out, MPI_Datatype *basic, int *hollow)
{
    return compile(type, out, basic, hollow);
}
