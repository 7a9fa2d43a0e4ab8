// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Random datatypes with an exact number of elements, and where their elements lie, computed here
// without MPI. No type holds a byte twice. All distances are multiples of the element's extent.
#include "rr.h"

static struct rr_shape *new_shape(enum rr_shape_kind kind, int n)
{
    struct rr_shape *s = rr_alloc(sizeof *s);
    s->kind = kind;
    s->n = n;
    s->len = rr_alloc(sizeof(int) * (size_t)n);
    s->at = rr_alloc(sizeof(MPI_Aint) * (size_t)n);
    s->child = rr_alloc(sizeof(void *) * (size_t)n);
    return s;
}

static const struct rr_shape *child_of(const struct rr_shape *s, int i)
{
    return s->child[s->kind == RR_STRUCT ? i : 0];
}

/** Bounds as MPI defines them for types without explicit ones. */
static void set_bounds(struct rr_shape *s)
{
    MPI_Aint lb = 0, ub = 0;
    bool any = false;
    for (int i = 0; i < s->n; i++) {
        const struct rr_shape *c = child_of(s, i);
        MPI_Aint low = s->at[i] + c->lb, high = low + s->len[i] * c->extent;
        if (s->len[i] == 0)
            continue;
        lb = any && lb < low ? lb : low;
        ub = any && ub > high ? ub : high;
        any = true;
    }
    s->lb = lb;
    s->extent = ub - lb;
}

/**
 * Whether a part has explicit bounds. Then parts without them do not count for the bounds of a struct
 * (MPI-4.1 5.1.6) over Open MPI, and do over MPICH: such a struct gets its own.
 */
static bool has_explicit_bounds(const struct rr_shape *s)
{
    bool has = s->kind == RR_SUBARRAY || s->kind == RR_DARRAY || s->kind == RR_RESIZED;
    for (int i = 0; i < s->n && !has; i++)
        has = has_explicit_bounds(child_of(s, i));
    return has;
}

static struct rr_shape *leaf(MPI_Aint extent)
{
    struct rr_shape *s = new_shape(RR_LEAF, 0);
    s->extent = extent;
    return s;
}

static struct rr_shape *contiguous(int n, struct rr_shape *child)
{
    struct rr_shape *s = new_shape(RR_CONTIGUOUS, 1);
    s->len[0] = n;
    s->child[0] = child;
    set_bounds(s);
    return s;
}

static struct rr_shape *resized(struct rr_shape *child, MPI_Aint lb, MPI_Aint extent)
{
    struct rr_shape *s = new_shape(RR_RESIZED, 1);
    s->len[0] = 1;
    s->child[0] = child;
    s->lb = lb;
    s->extent = extent;
    return s;
}

static int divisor(struct rr_rng *rng, int n)
{
    int d[64], found = 0;
    for (int i = 1; i <= n && i < 256 && found < 64; i++)
        if (n % i == 0)
            d[found++] = i;
    return d[rr_pick(rng, found)];
}

static struct rr_shape *vector(struct rr_rng *rng, enum rr_shape_kind kind, int n, MPI_Aint extent,
                               int depth)
{
    int count = divisor(rng, n), len = divisor(rng, n / count);
    struct rr_shape *c = rr_shape_random(rng, n / count / len, extent, depth - 1);
    struct rr_shape *s = new_shape(kind, count);
    MPI_Aint stride = (len + rr_pick(rng, 4)) * c->extent;
    if (kind == RR_HVECTOR)
        stride += rr_pick(rng, 3) * extent;
    if (rr_has(RR_F_NEGATIVE) && rr_chance(rng, 15))
        stride = -stride;
    s->child[0] = c;
    for (int i = 0; i < count; i++) {
        s->len[i] = len;
        s->at[i] = i * stride;
    }
    set_bounds(s);
    return s;
}

static void swap_blocks(struct rr_shape *s, int i, int j)
{
    int len = s->len[i];
    MPI_Aint at = s->at[i];
    struct rr_shape *c = s->child[i];
    s->len[i] = s->len[j];
    s->at[i] = s->at[j];
    s->len[j] = len;
    s->at[j] = at;
    if (s->kind == RR_STRUCT) {
        s->child[i] = s->child[j];
        s->child[j] = c;
    }
}

/** Lays the blocks one behind the other with gaps, now and then in another order. */
static void spread(struct rr_rng *rng, struct rr_shape *s, MPI_Aint unit)
{
    MPI_Aint at = rr_has(RR_F_NEGATIVE) && rr_chance(rng, 15) ? -4 * unit : 0;
    for (int i = 0; i < s->n; i++) {
        const struct rr_shape *c = child_of(s, i);
        at += rr_pick(rng, 3) * unit;
        MPI_Aint inside = s->kind == RR_STRUCT ? c->lb : 0; // else it is the same for all
        s->at[i] = at - inside;
        at += s->len[i] * c->extent;
    }
    if (rr_chance(rng, 30))
        for (int i = s->n - 1; i > 0; i--)
            swap_blocks(s, i, rr_pick(rng, i + 1));
}

static struct rr_shape *indexed(struct rr_rng *rng, enum rr_shape_kind kind, int n, MPI_Aint extent,
                                int depth)
{
    bool equal = kind == RR_INDEXED_BLOCK || kind == RR_HINDEXED_BLOCK;
    int blocks = equal ? divisor(rng, n) : rr_between(rng, 1, n < 12 ? n + 1 : 12);
    int inner = equal ? divisor(rng, n / blocks) : divisor(rng, n);
    int left = equal ? n / blocks / inner : n / inner;
    struct rr_shape *s = new_shape(kind, blocks);
    s->child[0] = rr_shape_random(rng, inner, extent, depth - 1);
    for (int i = 0; i < blocks; i++) {
        s->len[i] = equal || i == blocks - 1 ? left : rr_pick(rng, left + 1);
        left -= equal ? 0 : s->len[i];
    }
    bool bytes = kind == RR_HINDEXED || kind == RR_HINDEXED_BLOCK;
    spread(rng, s, bytes ? extent : s->child[0]->extent);
    set_bounds(s);
    return s;
}

static struct rr_shape *structure(struct rr_rng *rng, int n, MPI_Aint extent, int depth)
{
    int blocks = rr_between(rng, 1, n < 4 ? n : 4);
    struct rr_shape *s = new_shape(RR_STRUCT, blocks);
    for (int i = 0; i < blocks; i++) {
        int mine = i == blocks - 1 ? n : rr_between(rng, 1, n - (blocks - 1 - i));
        s->len[i] = divisor(rng, mine);
        s->child[i] = rr_shape_random(rng, mine / s->len[i], extent, depth - 1);
        n -= mine;
    }
    spread(rng, s, extent);
    set_bounds(s);
    return has_explicit_bounds(s) ? resized(s, s->lb, s->extent) : s;
}

static struct rr_shape *subarray(struct rr_rng *rng, int n, MPI_Aint extent, int depth)
{
    int rows = divisor(rng, n), columns = divisor(rng, n / rows);
    struct rr_shape *c = rr_shape_random(rng, n / rows / columns, extent, depth - 1);
    struct rr_shape *s = new_shape(RR_SUBARRAY, rows);
    bool fortran = rr_chance(rng, 40);
    int slow = fortran ? 1 : 0, fast = 1 - slow;
    s->child[0] = c;
    s->order = fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
    s->subsizes[slow] = rows;
    s->subsizes[fast] = columns;
    for (int i = 0; i < 2; i++) {
        s->starts[i] = rr_pick(rng, 3);
        s->sizes[i] = s->subsizes[i] + s->starts[i] + rr_pick(rng, 3);
    }
    for (int i = 0; i < rows; i++) {
        s->len[i] = columns;
        s->at[i] = ((MPI_Aint)(s->starts[slow] + i) * s->sizes[fast] + s->starts[fast]) * c->extent;
    }
    s->lb = c->lb;
    s->extent = s->sizes[0] * s->sizes[1] * c->extent;
    return s;
}

/** One dimension over a few processes: blocks, or cyclic with chunks. */
static struct rr_shape *darray(struct rr_rng *rng, int n, MPI_Aint extent)
{
    int p = rr_between(rng, 1, 4), chunk = rr_chance(rng, 40) ? n : divisor(rng, n);
    struct rr_shape *s = new_shape(RR_DARRAY, n / chunk);
    s->child[0] = leaf(extent);
    s->processes = p;
    s->coordinate = rr_pick(rng, p);
    s->sizes[0] = n * p;
    s->dist = chunk == n ? MPI_DISTRIBUTE_BLOCK : MPI_DISTRIBUTE_CYCLIC;
    s->dist_arg = chunk == n ? MPI_DISTRIBUTE_DFLT_DARG : chunk;
    for (int i = 0; i < s->n; i++) {
        s->len[i] = chunk;
        s->at[i] = (MPI_Aint)(i * p + s->coordinate) * chunk * extent;
    }
    s->extent = (MPI_Aint)n * p * extent;
    return s;
}

/** The type of another kind, or a resized one. */
static struct rr_shape *around(struct rr_rng *rng, enum rr_shape_kind kind, int n, MPI_Aint extent,
                               int depth)
{
    struct rr_shape *c = rr_shape_random(rng, n, extent, depth - 1);
    if (kind == RR_RESIZED) {
        MPI_Aint lb = c->lb - rr_pick(rng, 3) * extent;
        return resized(c, lb, c->lb + c->extent - lb + rr_pick(rng, 4) * extent);
    }
    struct rr_shape *s = resized(c, c->lb, c->extent);
    s->kind = kind;
    return s;
}

/** A datatype of `n` elements (n > 0), nested at most `depth` times. */
struct rr_shape *rr_shape_random(struct rr_rng *rng, int n, MPI_Aint extent, int depth)
{
    if (depth <= 0 || n > 4096)
        return n == 1 ? leaf(extent) : contiguous(n, leaf(extent));
    enum rr_shape_kind kind = (enum rr_shape_kind)rr_pick(rng, RR_SHAPES);
    switch (kind) {
    case RR_VECTOR:
    case RR_HVECTOR:
        return vector(rng, kind, n, extent, depth);
    case RR_INDEXED:
    case RR_HINDEXED:
    case RR_INDEXED_BLOCK:
    case RR_HINDEXED_BLOCK:
        return indexed(rng, kind, n, extent, depth);
    case RR_STRUCT:
        return structure(rng, n, extent, depth);
    case RR_SUBARRAY:
        return subarray(rng, n, extent, depth);
    case RR_DARRAY:
        return darray(rng, n, extent);
    case RR_RESIZED:
    case RR_DUP:
        return around(rng, kind, n, extent, depth);
    default: {
        int outer = kind == RR_LEAF && n == 1 ? 0 : divisor(rng, n);
        return outer == 0 ? leaf(extent)
                          : contiguous(outer, rr_shape_random(rng, n / outer, extent, depth - 1));
    }
    }
}

static void walk(const struct rr_shape *s, MPI_Aint from, struct rr_side *side)
{
    if (s->kind == RR_LEAF)
        side->at[side->n++] = from;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->len[i]; j++)
            walk(child_of(s, i), from + s->at[i] + j * child_of(s, i)->extent, side);
}

static void measure(struct rr_side *side, int n, MPI_Aint extent)
{
    side->at = rr_alloc(sizeof(MPI_Aint) * (size_t)(n ? n : 1));
    side->n = 0;
    for (int i = 0; i < side->count; i++)
        walk(side->shape, i * side->shape->extent, side);
    side->lo = side->hi = 0;
    for (int i = 0; i < side->n; i++) {
        side->lo = i && side->lo < side->at[i] ? side->lo : side->at[i];
        side->hi = i && side->hi > side->at[i] + extent ? side->hi : side->at[i] + extent;
    }
}

/** A type and a count of it with together `n` elements, in at most `span_bytes`. */
void rr_side_random(struct rr_rng *rng, struct rr_side *side, int n, MPI_Aint extent,
                    MPI_Aint span_bytes)
{
    memset(side, 0, sizeof *side);
    for (int i = 0; i < 5 && n > 0 && rr_has(RR_F_DERIVED); i++) {
        side->count = rr_chance(rng, 50) ? 1 : divisor(rng, n);
        side->shape = rr_shape_random(rng, n / side->count, extent, rr_pick(rng, 4));
        measure(side, n, extent);
        if (side->n != n)
            abort();
        if (side->hi - side->lo <= span_bytes)
            return;
    }
    bool empty = n == 0 && rr_has(RR_F_DERIVED) && rr_chance(rng, 50); // items without elements
    side->shape = empty ? contiguous(0, leaf(extent)) : leaf(extent);
    side->count = empty ? rr_between(rng, 0, 3) : n;
    measure(side, n, extent);
}
