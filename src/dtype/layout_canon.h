// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A layout in the making: nodes and words that grow, and the rules that keep it canonical. An error
// stays in `status`; the functions then return something empty, so that only the end need ask.
#ifndef CSP_DTYPE_LAYOUT_CANON_H
#define CSP_DTYPE_LAYOUT_CANON_H

#include "dtype/layout_node.h"

struct csp_builder {
    struct csp_node *nodes;
    int64_t *words;
    uint64_t node_count, node_room, word_count, word_room;
    enum csp_status status;
};

/** Something to be placed: a run of `len` bytes, or a node of that packed size; 0 bytes: nothing. */
struct csp_item {
    int64_t len;
    uint32_t node; // CSP_NO_NODE: a run
};

struct csp_part {
    int64_t off;
    struct csp_item item;
};

struct csp_parts {
    struct csp_part *v;
    size_t count, room;
};

void csp_builder_fail(struct csp_builder *b, enum csp_status status);

/** 1 if *a * *b and the like overflowed: the builder fails. For conditions. */
int csp_builder_overflow(struct csp_builder *b, int overflowed);

/** Room for one more of `size` bytes in an array that grows by doubling. @return 0: no memory. */
int csp_builder_grow(struct csp_builder *b, void **array, uint64_t *room, uint64_t count,
                     size_t size);

void csp_builder_word(struct csp_builder *b, int64_t word);

/** A node with its inputs filled, derived here; an equal one that was added lately is taken. */
struct csp_item csp_builder_node(struct csp_builder *b, struct csp_node *n);

/** A finished layout's nodes. */
struct csp_item csp_builder_import(struct csp_builder *b, const struct csp_layout *l);

/** `count` times the item, at i * stride. */
struct csp_item csp_builder_loop(struct csp_builder *b, struct csp_item item, int64_t count,
                                 int64_t stride);

/** One more part; empty ones are left out, a run that continues the last one makes it longer. */
void csp_parts_add(struct csp_builder *b, struct csp_parts *p, int64_t off, struct csp_item item);

/** One item of all parts, whose order is that of the stream; *first_off: where it lies. */
struct csp_item csp_parts_item(struct csp_builder *b, struct csp_parts *p, int64_t *first_off);

/**
 * The layout of `item` at first_off, with lb and extent; NULL on an error, which is returned. Frees
 * what the builder holds.
 */
CSP_MUST_CHECK enum csp_status csp_builder_finish(struct csp_builder *b, struct csp_item item,
                                                  const struct csp_layout *head,
                                                  struct csp_layout **out);

#endif
