// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Random datatypes with an exact number of elements, and where their elements lie, computed here
// without MPI. No type holds a byte twice. All distances are multiples of the element's extent.
#include "rnd.h"

static struct rnd_shape *new_shape(enum rnd_shape_kind kind, int n)
{
    struct rnd_shape *s = rnd_alloc(sizeof *s);
    s->kind = kind;
    s->n = n;
    s->len = rnd_alloc(sizeof(int) * (size_t)n);
    s->at = rnd_alloc(sizeof(MPI_Aint) * (size_t)n);
    s->child = rnd_alloc(sizeof(void *) * (size_t)n);
    return s;
}

static const struct rnd_shape *child_of(const struct rnd_shape *s, int i)
{
    return s->child[s->kind == RND_STRUCT ? i : 0];
}

/** Bounds as MPI defines them for types without explicit ones. */
static void set_bounds(struct rnd_shape *s)
{
    MPI_Aint lb = 0, ub = 0;
    bool any = false;
    for (int i = 0; i < s->n; i++) {
        const struct rnd_shape *c = child_of(s, i);
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
static bool has_explicit_bounds(const struct rnd_shape *s)
{
    bool has = s->kind == RND_SUBARRAY || s->kind == RND_DARRAY || s->kind == RND_RESIZED;
    for (int i = 0; i < s->n && !has; i++)
        has = has_explicit_bounds(child_of(s, i));
    return has;
}

static struct rnd_shape *leaf(MPI_Aint extent)
{
    struct rnd_shape *s = new_shape(RND_LEAF, 0);
    s->extent = extent;
    return s;
}

static struct rnd_shape *contiguous(int n, struct rnd_shape *child)
{
    struct rnd_shape *s = new_shape(RND_CONTIGUOUS, 1);
    s->len[0] = n;
    s->child[0] = child;
    set_bounds(s);
    return s;
}

static struct rnd_shape *resized(struct rnd_shape *child, MPI_Aint lb, MPI_Aint extent)
{
    struct rnd_shape *s = new_shape(RND_RESIZED, 1);
    s->len[0] = 1;
    s->child[0] = child;
    s->lb = lb;
    s->extent = extent;
    return s;
}

static int divisor(struct rnd_rng *rng, int n)
{
    int d[64], found = 0;
    for (int i = 1; i <= n && i < 256 && found < 64; i++)
        if (n % i == 0)
            d[found++] = i;
    return d[rnd_pick(rng, found)];
}

static struct rnd_shape *vector(struct rnd_rng *rng, enum rnd_shape_kind kind, int n,
                                MPI_Aint extent, int depth)
{
    int count = divisor(rng, n), len = divisor(rng, n / count);
    struct rnd_shape *c = rnd_shape_random(rng, n / count / len, extent, depth - 1);
    struct rnd_shape *s = new_shape(kind, count);
    MPI_Aint stride = (len + rnd_pick(rng, 4)) * c->extent;
    if (kind == RND_HVECTOR)
        stride += rnd_pick(rng, 3) * extent;
    if (rnd_has(RND_F_NEGATIVE) && rnd_chance(rng, 15))
        stride = -stride;
    s->child[0] = c;
    for (int i = 0; i < count; i++) {
        s->len[i] = len;
        s->at[i] = i * stride;
    }
    set_bounds(s);
    return s;
}

static void swap_blocks(struct rnd_shape *s, int i, int j)
{
    int len = s->len[i];
    MPI_Aint at = s->at[i];
    struct rnd_shape *c = s->child[i];
    s->len[i] = s->len[j];
    s->at[i] = s->at[j];
    s->len[j] = len;
    s->at[j] = at;
    if (s->kind == RND_STRUCT) {
        s->child[i] = s->child[j];
        s->child[j] = c;
    }
}

/** Lays the blocks one behind the other with gaps, now and then in another order. */
static void spread(struct rnd_rng *rng, struct rnd_shape *s, MPI_Aint unit)
{
    MPI_Aint at = rnd_has(RND_F_NEGATIVE) && rnd_chance(rng, 15) ? -4 * unit : 0;
    for (int i = 0; i < s->n; i++) {
        const struct rnd_shape *c = child_of(s, i);
        at += rnd_pick(rng, 3) * unit;
        MPI_Aint inside = s->kind == RND_STRUCT ? c->lb : 0; // else it is the same for all
        s->at[i] = at - inside;
        at += s->len[i] * c->extent;
    }
    if (rnd_chance(rng, 30))
        for (int i = s->n - 1; i > 0; i--)
            swap_blocks(s, i, rnd_pick(rng, i + 1));
}

static struct rnd_shape *indexed(struct rnd_rng *rng, enum rnd_shape_kind kind, int n,
                                 MPI_Aint extent, int depth)
{
    bool equal = kind == RND_INDEXED_BLOCK || kind == RND_HINDEXED_BLOCK;
    int blocks = equal ? divisor(rng, n) : rnd_between(rng, 1, n < 12 ? n + 1 : 12);
    int inner = equal ? divisor(rng, n / blocks) : divisor(rng, n);
    int left = equal ? n / blocks / inner : n / inner;
    struct rnd_shape *s = new_shape(kind, blocks);
    s->child[0] = rnd_shape_random(rng, inner, extent, depth - 1);
    for (int i = 0; i < blocks; i++) {
        s->len[i] = equal || i == blocks - 1 ? left : rnd_pick(rng, left + 1);
        left -= equal ? 0 : s->len[i];
    }
    bool bytes = kind == RND_HINDEXED || kind == RND_HINDEXED_BLOCK;
    spread(rng, s, bytes ? extent : s->child[0]->extent);
    set_bounds(s);
    return s;
}

static struct rnd_shape *structure(struct rnd_rng *rng, int n, MPI_Aint extent, int depth)
{
    int blocks = rnd_between(rng, 1, n < 4 ? n : 4);
    struct rnd_shape *s = new_shape(RND_STRUCT, blocks);
    for (int i = 0; i < blocks; i++) {
        int mine = i == blocks - 1 ? n : rnd_between(rng, 1, n - (blocks - 1 - i));
        s->len[i] = divisor(rng, mine);
        s->child[i] = rnd_shape_random(rng, mine / s->len[i], extent, depth - 1);
        n -= mine;
    }
    spread(rng, s, extent);
    set_bounds(s);
    return has_explicit_bounds(s) ? resized(s, s->lb, s->extent) : s;
}

static struct rnd_shape *subarray(struct rnd_rng *rng, int n, MPI_Aint extent, int depth)
{
    int rows = divisor(rng, n), columns = divisor(rng, n / rows);
    struct rnd_shape *c = rnd_shape_random(rng, n / rows / columns, extent, depth - 1);
    struct rnd_shape *s = new_shape(RND_SUBARRAY, rows);
    bool fortran = rnd_chance(rng, 40);
    int slow = fortran ? 1 : 0, fast = 1 - slow;
    s->child[0] = c;
    s->order = fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
    s->subsizes[slow] = rows;
    s->subsizes[fast] = columns;
    for (int i = 0; i < 2; i++) {
        s->starts[i] = rnd_pick(rng, 3);
        s->sizes[i] = s->subsizes[i] + s->starts[i] + rnd_pick(rng, 3);
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
static struct rnd_shape *darray(struct rnd_rng *rng, int n, MPI_Aint extent)
{
    int p = rnd_between(rng, 1, 4), chunk = rnd_chance(rng, 40) ? n : divisor(rng, n);
    struct rnd_shape *s = new_shape(RND_DARRAY, n / chunk);
    s->child[0] = leaf(extent);
    s->processes = p;
    s->coordinate = rnd_pick(rng, p);
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
static struct rnd_shape *around(struct rnd_rng *rng, enum rnd_shape_kind kind, int n,
                                MPI_Aint extent, int depth)
{
    struct rnd_shape *c = rnd_shape_random(rng, n, extent, depth - 1);
    if (kind == RND_RESIZED) {
        MPI_Aint lb = c->lb - rnd_pick(rng, 3) * extent;
        return resized(c, lb, c->lb + c->extent - lb + rnd_pick(rng, 4) * extent);
    }
    struct rnd_shape *s = resized(c, c->lb, c->extent);
    s->kind = kind;
    return s;
}

/** A datatype of `n` elements (n > 0), nested at most `depth` times. */
struct rnd_shape *rnd_shape_random(struct rnd_rng *rng, int n, MPI_Aint extent, int depth)
{
    if (depth <= 0 || n > 4096)
        return n == 1 ? leaf(extent) : contiguous(n, leaf(extent));
    enum rnd_shape_kind kind = (enum rnd_shape_kind)rnd_pick(rng, RND_SHAPES);
    switch (kind) {
    case RND_VECTOR:
    case RND_HVECTOR:
        return vector(rng, kind, n, extent, depth);
    case RND_INDEXED:
    case RND_HINDEXED:
    case RND_INDEXED_BLOCK:
    case RND_HINDEXED_BLOCK:
        return indexed(rng, kind, n, extent, depth);
    case RND_STRUCT:
        return structure(rng, n, extent, depth);
    case RND_SUBARRAY:
        return subarray(rng, n, extent, depth);
    case RND_DARRAY:
        return darray(rng, n, extent);
    case RND_RESIZED:
    case RND_DUP:
        return around(rng, kind, n, extent, depth);
    default: {
        int outer = kind == RND_LEAF && n == 1 ? 0 : divisor(rng, n);
        return outer == 0 ? leaf(extent)
                          : contiguous(outer, rnd_shape_random(rng, n / outer, extent, depth - 1));
    }
    }
}

static void walk(const struct rnd_shape *s, MPI_Aint from, struct rnd_side *side)
{
    if (s->kind == RND_LEAF)
        side->at[side->n++] = from;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->len[i]; j++)
            walk(child_of(s, i), from + s->at[i] + j * child_of(s, i)->extent, side);
}

static void measure(struct rnd_side *side, int n, MPI_Aint extent)
{
    side->at = rnd_alloc(sizeof(MPI_Aint) * (size_t)(n ? n : 1));
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
void rnd_side_random(struct rnd_rng *rng, struct rnd_side *side, int n, MPI_Aint extent,
                     MPI_Aint span_bytes)
{
    memset(side, 0, sizeof *side);
    for (int i = 0; i < 5 && n > 0 && span_bytes > 0 && rnd_has(RND_F_DERIVED); i++) {
        side->count = rnd_chance(rng, 50) ? 1 : divisor(rng, n);
        side->shape = rnd_shape_random(rng, n / side->count, extent, rnd_pick(rng, 4));
        measure(side, n, extent);
        if (side->n != n)
            abort();
        if (side->hi - side->lo <= span_bytes)
            return;
    }
    bool empty = n == 0 && rnd_has(RND_F_DERIVED) && rnd_chance(rng, 50); // items without elements
    side->shape = empty ? contiguous(0, leaf(extent)) : leaf(extent);
    side->count = empty ? rnd_between(rng, 0, 3) : n;
    measure(side, n, extent);
}
