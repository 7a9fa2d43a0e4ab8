// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The constructors: bounds as MPI-4.1 5.1.7 has them (without padding, which is the MPI library's),
// data by the builder.
#include "dtype/layout_canon.h"

#include <stdlib.h>
#include <string.h>

// Least lower and greatest upper bound of what was placed.
struct bounds {
    int64_t lb, ub;
    int any;
};

static void bounds_point(struct csp_builder *b, struct bounds *s, const struct csp_layout *l,
                         int64_t disp, int64_t item)
{
    int64_t lo = 0, hi = 0, at = 0;
    if (csp_builder_overflow(b, __builtin_mul_overflow(item, l->extent, &at) ||
                                    __builtin_add_overflow(at, disp, &at) ||
                                    __builtin_add_overflow(at, l->lb, &lo) ||
                                    __builtin_add_overflow(lo, l->extent, &hi)))
        return;
    s->lb = s->any && s->lb < lo ? s->lb : lo;
    s->ub = s->any && s->ub > hi ? s->ub : hi;
    s->any = 1;
}

// n of `l` at disp.
static void bounds_add(struct csp_builder *b, struct bounds *s, const struct csp_layout *l,
                       int64_t disp, int64_t n)
{
    csp_builder_overflow(b, n < 0);
    if (n <= 0)
        return;
    bounds_point(b, s, l, disp, 0);
    bounds_point(b, s, l, disp, n - 1);
}

static enum csp_status finish(struct csp_builder *b, struct csp_item item, int64_t first_off,
                              const struct bounds *s, struct csp_layout **out)
{
    struct csp_layout head = {.lb = s->lb, .first_off = first_off};
    csp_builder_overflow(b, __builtin_sub_overflow(s->ub, s->lb, &head.extent));
    return csp_builder_finish(b, item, &head, out);
}

enum csp_status csp_layout_block(int64_t n, struct csp_layout **out)
{
    struct csp_builder b = {0};
    struct bounds s = {0, n, 1};
    csp_builder_overflow(&b, n < 0);
    return finish(&b, (struct csp_item){n, CSP_NO_NODE}, 0, &s, out);
}

enum csp_status csp_layout_hvector(const struct csp_layout *child, int64_t count,
                                   int64_t blocklength, int64_t stride_bytes,
                                   struct csp_layout **out)
{
    struct csp_builder b = {0};
    struct bounds s = {0};
    int64_t last = 0;
    csp_builder_overflow(&b, count < 0 || blocklength < 0);
    if (count > 0 && blocklength > 0 &&
        !csp_builder_overflow(&b, __builtin_mul_overflow(count - 1, stride_bytes, &last))) {
        bounds_add(&b, &s, child, 0, blocklength);
        bounds_add(&b, &s, child, last, blocklength);
    }
    struct csp_item item = csp_builder_import(&b, child);
    item = csp_builder_loop(&b, item, blocklength, child->extent);
    item = csp_builder_loop(&b, item, count, stride_bytes);
    return finish(&b, item, child->first_off, &s, out);
}

// One group of an indexed type or a struct.
static void add_group(struct csp_builder *b, struct csp_parts *p, struct bounds *s,
                      const struct csp_layout *child, struct csp_item item, int64_t n, int64_t disp)
{
    int64_t off;
    bounds_add(b, s, child, disp, n);
    if (!csp_builder_overflow(b, __builtin_add_overflow(disp, child->first_off, &off)))
        csp_parts_add(b, p, off, csp_builder_loop(b, item, n, child->extent));
}

static enum csp_status finish_parts(struct csp_builder *b, struct csp_parts *p,
                                    const struct bounds *s, struct csp_layout **out)
{
    int64_t first;
    struct csp_item item = csp_parts_item(b, p, &first);
    free(p->v);
    return finish(b, item, first, s, out);
}

// Lengths NULL: all groups have `length`.
static enum csp_status indexed(const struct csp_layout *child, int64_t n, const int64_t *lengths,
                               int64_t length, const int64_t *displacements,
                               struct csp_layout **out)
{
    struct csp_builder b = {0};
    struct csp_parts p = {0};
    struct bounds s = {0};
    csp_builder_overflow(&b, n < 0);
    struct csp_item item = csp_builder_import(&b, child);
    for (int64_t i = 0; i < n && b.status == CSP_OK; i++)
        add_group(&b, &p, &s, child, item, lengths ? lengths[i] : length, displacements[i]);
    return finish_parts(&b, &p, &s, out);
}

enum csp_status csp_layout_hindexed(const struct csp_layout *child, int64_t n,
                                    const int64_t *blocklengths, const int64_t *displacements_bytes,
                                    struct csp_layout **out)
{
    return indexed(child, n, blocklengths, 0, displacements_bytes, out);
}

enum csp_status csp_layout_hindexed_block(const struct csp_layout *child, int64_t n,
                                          int64_t blocklength, const int64_t *displacements_bytes,
                                          struct csp_layout **out)
{
    return indexed(child, n, NULL, blocklength, displacements_bytes, out);
}

enum csp_status csp_layout_struct(int64_t n, const int64_t *blocklengths,
                                  const int64_t *displacements_bytes,
                                  const struct csp_layout *const *children, struct csp_layout **out)
{
    struct csp_builder b = {0};
    struct csp_parts p = {0};
    struct bounds s = {0};
    struct csp_item item = {0, CSP_NO_NODE};
    csp_builder_overflow(&b, n < 0);
    for (int64_t i = 0; i < n && b.status == CSP_OK; i++) {
        if (i == 0 || children[i] != children[i - 1])
            item = csp_builder_import(&b, children[i]);
        add_group(&b, &p, &s, children[i], item, blocklengths[i], displacements_bytes[i]);
    }
    return finish_parts(&b, &p, &s, out);
}

enum csp_status csp_layout_resized(const struct csp_layout *child, int64_t lb, int64_t extent,
                                   struct csp_layout **out)
{
    struct csp_layout *l = malloc(csp_layout_bytes(child));
    *out = l;
    if (!l)
        return CSP_ERR_NOMEM;
    memcpy(l, child, csp_layout_bytes(child));
    l->lb = lb;
    l->extent = extent;
    l->contig = l->node_count == 1 && l->block_count == 1 && extent == l->size_bytes;
    return CSP_OK;
}

void csp_layout_free(struct csp_layout *l)
{
    free(l);
}
