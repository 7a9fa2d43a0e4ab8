// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The nodes of a layout. A node places its items, each a run of bytes or another node, one after the
// other in the packed stream; the first item's first byte is the node's offset 0. A node's child has a
// lower index than the node, the root is the last.
#ifndef CSP_DTYPE_LAYOUT_NODE_H
#define CSP_DTYPE_LAYOUT_NODE_H

#include "dtype/layout.h"

#define CSP_LAYOUT_MAGIC UINT32_C(0xca5be101)
#define CSP_NO_NODE UINT32_MAX

struct csp_body {
    const struct csp_node *nodes;
    const int64_t *words;
    uint64_t word_count;
};

static inline const struct csp_node *csp_layout_nodes(const struct csp_layout *l)
{
    return (const struct csp_node *)(l + 1);
}

static inline const int64_t *csp_layout_words(const struct csp_layout *l)
{
    return (const int64_t *)(csp_layout_nodes(l) + l->node_count);
}

static inline int csp_node_is_leaf(const struct csp_node *n)
{
    return n->child == CSP_NO_NODE;
}

/** Words for each item. */
static inline uint64_t csp_node_words(const struct csp_node *n)
{
    return n->kind == CSP_NODE_STRIDED  ? 0
           : n->kind == CSP_NODE_PLACED ? 1
           : csp_node_is_leaf(n)        ? 2
                                        : 3;
}

/** Where an item lies. */
static inline int64_t csp_node_item_off(const struct csp_node *n, const int64_t *words,
                                        int64_t item)
{
    if (n->kind == CSP_NODE_STRIDED)
        return item * n->stride;
    return words[n->table + (uint64_t)item * csp_node_words(n)];
}

/** Packed offset of a LIST's item. */
static inline int64_t csp_node_list_start(const struct csp_node *n, const int64_t *words,
                                          int64_t item)
{
    return words[n->table + (uint64_t)item * csp_node_words(n) + 1];
}

/** Bytes of an item. */
static inline int64_t csp_node_item_len(const struct csp_node *n, const int64_t *words,
                                        int64_t item)
{
    if (n->kind != CSP_NODE_LIST)
        return n->block;
    int64_t end = item + 1 < n->count ? csp_node_list_start(n, words, item + 1) : n->size;
    return end - csp_node_list_start(n, words, item);
}

/** The node that an item of an inner node is. */
static inline uint32_t csp_node_item_child(const struct csp_node *n, const int64_t *words,
                                           int64_t item)
{
    return n->kind == CSP_NODE_LIST ? (uint32_t)words[n->table + (uint64_t)item * 3 + 2] : n->child;
}

/**
 * Fills the derived fields of a node whose index is to be `index` from its items and the nodes
 * before it. @return CSP_ERR_ARG if an index is wrong or a sum is beyond int64_t.
 */
CSP_MUST_CHECK enum csp_status csp_node_derive(const struct csp_body *b, uint32_t index,
                                               struct csp_node *n);

/** Fills a header's derived fields; `root` is NULL without data. @return as csp_node_derive. */
CSP_MUST_CHECK enum csp_status csp_layout_derive(struct csp_layout *l, const struct csp_node *root);

#endif
