// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Sums and bounds of nodes: computed by the constructors and computed again for a layout that
// another process sent.
#include "dtype/layout_node.h"

#include <string.h>

// What a node's items give it; also one item's own contribution.
struct sums {
    int64_t size, lo, hi, runs;
    uint64_t height;
};

static enum csp_status item_sums(const struct csp_body *b, uint32_t index, uint64_t child,
                                 int64_t block, struct sums *s)
{
    if (child == CSP_NO_NODE) {
        *s = (struct sums){.size = block, .lo = 0, .hi = block, .runs = 1, .height = 0};
        return block > 0 ? CSP_OK : CSP_ERR_ARG;
    }
    if (child >= index)
        return CSP_ERR_ARG;
    const struct csp_node *n = &b->nodes[child];
    *s = (struct sums){n->size, n->lo, n->hi, n->runs, n->height};
    return CSP_OK;
}

// An item's bounds at an offset, added to the node's. 1 on overflow.
static int widen(struct csp_node *n, const struct sums *item, int64_t off)
{
    int64_t lo, hi;
    if (__builtin_add_overflow(item->lo, off, &lo) || __builtin_add_overflow(item->hi, off, &hi))
        return 1;
    n->lo = lo < n->lo ? lo : n->lo;
    n->hi = hi > n->hi ? hi : n->hi;
    return 0;
}

static enum csp_status derive_equal(const struct csp_body *b, uint32_t index, struct csp_node *n)
{
    struct sums item;
    int64_t last;
    if (item_sums(b, index, n->child, n->block, &item) != CSP_OK)
        return CSP_ERR_ARG;
    n->block = item.size;
    n->lo = item.lo, n->hi = item.hi;
    n->height = item.height + 1;
    if (__builtin_mul_overflow(n->count, item.size, &n->size) ||
        __builtin_mul_overflow(n->count, item.runs, &n->runs))
        return CSP_ERR_ARG;
    if (n->kind == CSP_NODE_STRIDED)
        return __builtin_mul_overflow(n->count - 1, n->stride, &last) || widen(n, &item, last)
                   ? CSP_ERR_ARG
                   : CSP_OK;
    const int64_t *offs = b->words + n->table;
    for (int64_t i = 0; i < n->count; i++)
        if (widen(n, &item, offs[i]))
            return CSP_ERR_ARG;
    return CSP_OK;
}

// A list of runs has the sums in its words; a list of nodes has those of the nodes.
static enum csp_status derive_list(const struct csp_body *b, uint32_t index, struct csp_node *n)
{
    int leaf = csp_node_is_leaf(n);
    const int64_t *w = b->words + n->table;
    int64_t at = 0, all = n->size;
    n->block = n->lo = n->hi = n->runs = 0;
    n->height = 1;
    for (int64_t i = 0; i < n->count; i++, w += leaf ? 2 : 3) {
        struct sums item;
        uint64_t child = leaf ? CSP_NO_NODE : (uint64_t)w[2];
        int64_t end = i + 1 < n->count ? w[leaf ? 3 : 4] : all, len;
        if (w[1] != at || (!leaf && child == CSP_NO_NODE) || end <= at)
            return CSP_ERR_ARG;
        len = end - at;
        if (item_sums(b, index, child, len, &item) != CSP_OK || item.size != len ||
            widen(n, &item, w[0]) || __builtin_add_overflow(n->runs, item.runs, &n->runs))
            return CSP_ERR_ARG;
        n->height = item.height + 1 > n->height ? item.height + 1 : n->height;
        at = end;
    }
    return CSP_OK;
}

enum csp_status csp_node_derive(const struct csp_body *b, uint32_t index, struct csp_node *n)
{
    uint64_t words;
    int strided = n->kind == CSP_NODE_STRIDED;
    if (n->kind > CSP_NODE_LIST || n->count < 1)
        return CSP_ERR_ARG;
    if (n->count == 1 && (!strided || !csp_node_is_leaf(n) || n->stride != 0))
        return CSP_ERR_ARG;
    if (strided ? n->table != 0 : n->stride != 0)
        return CSP_ERR_ARG;
    if (__builtin_mul_overflow((uint64_t)n->count, csp_node_words(n), &words) ||
        words > b->word_count || n->table > b->word_count - words)
        return CSP_ERR_ARG;
    if (!strided && b->words[n->table] != 0)
        return CSP_ERR_ARG;
    return n->kind == CSP_NODE_LIST ? derive_list(b, index, n) : derive_equal(b, index, n);
}

enum csp_status csp_layout_derive(struct csp_layout *l, const struct csp_node *root)
{
    static const struct csp_node none = {.kind = CSP_NODE_LIST};
    const struct csp_node *r = root ? root : &none;
    if (!root)
        l->first_off = 0;
    l->size_bytes = r->size;
    l->block_count = r->runs;
    l->depth = (uint32_t)r->height;
    l->contig =
        r->kind == CSP_NODE_STRIDED && r->count == 1 && csp_node_is_leaf(r) && l->extent == r->size;
    if (__builtin_add_overflow(l->first_off, r->lo, &l->true_lb) ||
        __builtin_add_overflow(l->first_off, r->hi, &l->true_ub))
        return CSP_ERR_ARG;
    return r->height <= CSP_LAYOUT_DEPTH ? CSP_OK : CSP_ERR_ARG;
}

static enum csp_status check_nodes(const struct csp_layout *l)
{
    struct csp_body b = {csp_layout_nodes(l), csp_layout_words(l), l->word_count};
    for (uint32_t i = 0; i < l->node_count; i++) {
        struct csp_node n = b.nodes[i];
        if (csp_node_derive(&b, i, &n) != CSP_OK || n.height > CSP_LAYOUT_DEPTH ||
            memcmp(&n, &b.nodes[i], sizeof(n)) != 0)
            return CSP_ERR_ARG;
    }
    return CSP_OK;
}

enum csp_status csp_layout_check(const void *buf, size_t bytes)
{
    const struct csp_layout *l = buf;
    uint64_t rest = bytes - sizeof(*l);
    if (bytes < sizeof(*l) || (uintptr_t)buf % sizeof(int64_t) != 0 ||
        l->magic != CSP_LAYOUT_MAGIC || l->bytes != bytes ||
        l->node_count > rest / sizeof(struct csp_node))
        return CSP_ERR_ARG;
    rest -= l->node_count * sizeof(struct csp_node);
    if (rest % sizeof(int64_t) != 0 || l->word_count != rest / sizeof(int64_t))
        return CSP_ERR_ARG;
    if (check_nodes(l) != CSP_OK)
        return CSP_ERR_ARG;
    struct csp_layout header = *l;
    const struct csp_node *root = l->node_count ? &csp_layout_nodes(l)[l->node_count - 1] : NULL;
    if (csp_layout_derive(&header, root) != CSP_OK || memcmp(&header, l, sizeof(header)) != 0)
        return CSP_ERR_ARG;
    return CSP_OK;
}
