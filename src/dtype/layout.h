// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Where the bytes of a datatype lie. A layout describes one element, in the order of the type map; it
// is one flat buffer without pointers, so its csp_layout_bytes() can be sent to another process. It
// never changes, so any thread may read it. Canonical form and invariants: docs/design/dtype.md.
#ifndef CSP_DTYPE_LAYOUT_H
#define CSP_DTYPE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
#include "base/status.h"

enum { CSP_LAYOUT_DEPTH = 16 }; // levels of a layout at most; deeper nests become lists

struct csp_layout {
    uint32_t magic, node_count; // nodes, then words, follow this header
    uint64_t bytes, word_count; // `bytes`: of the whole buffer
    int64_t size_bytes;         // of data in one element
    int64_t lb, extent;         // extent: from one element to the next; may be negative or 0
    int64_t first_off;          // where the first byte of the type map lies
    int64_t true_lb, true_ub;   // the data lie in [true_lb, true_ub)
    int64_t block_count;        // runs of bytes that a walk of one element meets
    uint32_t depth;             // levels; 0 without data
    uint32_t contig;            // one run of size_bytes, and extent == size_bytes
};

/** Whether its runs have fewer bytes on average. */
static inline int csp_layout_runs_below(const struct csp_layout *l, int64_t bytes)
{
    return l->size_bytes < l->block_count * bytes;
}

/** Size of the buffer: header and all that belongs to it. */
static inline size_t csp_layout_bytes(const struct csp_layout *l)
{
    return (size_t)l->bytes;
}

/**
 * Whether a received buffer (aligned to 8 bytes) is a layout that every function here may use: each
 * index, sum and bound is computed anew. @return CSP_OK or CSP_ERR_ARG.
 */
CSP_MUST_CHECK enum csp_status csp_layout_check(const void *buf, size_t bytes);

/*
 * Constructors. Counts and lengths are 0 or more, everything else may be negative, data may overlap.
 * Each gives a new layout, to be freed by csp_layout_free; children are copied.
 * @return CSP_OK; CSP_ERR_ARG for a negative count or a sum beyond int64_t; CSP_ERR_NOMEM.
 */

/** n bytes in one run, extent n. */
CSP_MUST_CHECK enum csp_status csp_layout_block(int64_t n, struct csp_layout **out);

/** `count` groups of `blocklength` children, group i at i * stride. */
CSP_MUST_CHECK enum csp_status csp_layout_hvector(const struct csp_layout *child, int64_t count,
                                                  int64_t blocklength, int64_t stride_bytes,
                                                  struct csp_layout **out);

/** n groups, group i has blocklengths[i] children and starts at displacements[i]. */
CSP_MUST_CHECK enum csp_status csp_layout_hindexed(const struct csp_layout *child, int64_t n,
                                                   const int64_t *blocklengths,
                                                   const int64_t *displacements_bytes,
                                                   struct csp_layout **out);

/** The same with groups of one length. */
CSP_MUST_CHECK enum csp_status csp_layout_hindexed_block(const struct csp_layout *child, int64_t n,
                                                         int64_t blocklength,
                                                         const int64_t *displacements_bytes,
                                                         struct csp_layout **out);

/** The same with a child for each group. */
CSP_MUST_CHECK enum csp_status csp_layout_struct(int64_t n, const int64_t *blocklengths,
                                                 const int64_t *displacements_bytes,
                                                 const struct csp_layout *const *children,
                                                 struct csp_layout **out);

/** The same bytes with other bounds. */
CSP_MUST_CHECK enum csp_status csp_layout_resized(const struct csp_layout *child, int64_t lb,
                                                  int64_t extent, struct csp_layout **out);

void csp_layout_free(struct csp_layout *l);

/**
 * Byte range [*lo, *hi) that the data of `count` elements touch, the first one at `disp`; empty
 * without data. @return CSP_OK; CSP_ERR_ARG if a bound or the number of bytes is beyond int64_t.
 */
CSP_MUST_CHECK enum csp_status csp_layout_range(const struct csp_layout *l, int64_t disp,
                                                int64_t count, int64_t *lo, int64_t *hi);

enum csp_node_kind {
    CSP_NODE_STRIDED, // equal items at item * stride
    CSP_NODE_PLACED,  // equal items; words: their offsets
    CSP_NODE_LIST,    // unequal items; words: offset, packed offset, and child if they are nodes
};

/** A node of a layout, for layout_node.h; here because a cursor holds one. */
struct csp_node {
    uint32_t kind;
    uint32_t child; // what an item is; CSP_NO_NODE: bytes. LIST: any number but that means nodes
    int64_t count;
    int64_t stride; // STRIDED
    uint64_t table; // PLACED, LIST: index of the first word
    // What follows csp_node_derive computes, but for `block` of equal runs and `size` of a list.
    int64_t block;   // bytes of one item; LIST: 0
    int64_t size;    // packed bytes
    int64_t lo, hi;  // the bytes lie in [lo, hi), lo <= 0 < hi
    int64_t runs;    // as block_count
    uint64_t height; // levels from here down
};

/**
 * A place in the packed stream of some elements, on the stack; may be copied to come back to it. Its
 * fields are for the functions below. Not for several threads at once.
 */
struct csp_layout_level {
    uint32_t node; // of the layout; not used at level 0
    int64_t item;  // which of the node's items
    int64_t off;   // where the node's first byte lies
};

struct csp_layout_cursor {
    const struct csp_layout *layout;
    struct csp_node elements; // level 0
    int64_t left;             // bytes to the end of the stream
    int64_t skip;             // bytes of the current block that are behind us
    uint32_t top;             // level of the current block
    struct csp_layout_level level[CSP_LAYOUT_DEPTH + 1];
};

/** To the start of `count` elements, the first one at `disp`. @return as csp_layout_range. */
CSP_MUST_CHECK enum csp_status csp_layout_begin(struct csp_layout_cursor *c,
                                                const struct csp_layout *l, int64_t disp,
                                                int64_t count);

/** To a byte of the packed stream, 0 to its size. */
void csp_layout_seek(struct csp_layout_cursor *c, int64_t packed_off);

/** Bytes of the stream that are left. */
static inline int64_t csp_layout_left(const struct csp_layout_cursor *c)
{
    return c->left;
}

/**
 * A range [*lo, *hi) of offsets that holds the next `bytes` bytes, 1 to as many as are left, without a walk over their
 * runs. It may be larger than what they touch.
 */
void csp_layout_span(const struct csp_layout_cursor *c, int64_t bytes, int64_t *lo, int64_t *hi);

/** The rest of the current block, at most max_bytes of it. @return its length; 0 at the end. */
int64_t csp_layout_next(struct csp_layout_cursor *c, int64_t max_bytes, int64_t *off);

/**
 * The next runs as addresses (base + offset), neighbours merged, at most max_iov entries and
 * max_bytes bytes. @return entries filled; 0 at the end.
 */
int csp_layout_iov(struct csp_layout_cursor *c, const void *base, struct iovec *iov, int max_iov,
                   size_t max_bytes);

/*
 * Copies of at most `bytes` bytes, from where the cursor stands; it stands behind them afterwards.
 * Offsets count from `base`, which may be NULL if they are addresses. @return bytes copied.
 */
size_t csp_layout_pack(struct csp_layout_cursor *from, const void *base, void *dst, size_t bytes);
size_t csp_layout_unpack(struct csp_layout_cursor *to, void *base, const void *src, size_t bytes);

/** The next bytes of one stream into the places of another, without a buffer between. */
size_t csp_layout_copy(struct csp_layout_cursor *from, const void *from_base,
                       struct csp_layout_cursor *to, void *to_base, size_t bytes);

#endif
