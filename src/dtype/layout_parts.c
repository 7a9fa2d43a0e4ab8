// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// From a sequence of placed items to one: a loop if their spacing is equal, else offsets, else a
// list.
#include "dtype/layout_canon.h"

#include <stdlib.h>

enum { INLINE_ITEMS = 8 }; // a node with so many becomes part of the list above it

void csp_parts_add(struct csp_builder *b, struct csp_parts *p, int64_t off, struct csp_item item)
{
    if (item.len == 0 || b->status != CSP_OK)
        return;
    struct csp_part *last = p->count ? &p->v[p->count - 1] : NULL;
    int64_t end;
    if (last && last->item.node == CSP_NO_NODE && item.node == CSP_NO_NODE &&
        !__builtin_add_overflow(last->off, last->item.len, &end) && end == off) {
        csp_builder_overflow(b, __builtin_add_overflow(last->item.len, item.len, &last->item.len));
        return;
    }
    void *v = p->v;
    if (csp_builder_grow(b, &v, &p->room, p->count, sizeof(*p->v)))
        ((struct csp_part *)v)[p->count++] = (struct csp_part){off, item};
    p->v = v;
}

static int all_equal(const struct csp_parts *p)
{
    for (size_t i = 1; i < p->count; i++)
        if (p->v[i].item.len != p->v[0].item.len || p->v[i].item.node != p->v[0].item.node)
            return 0;
    return 1;
}

// Spacing of all parts; 0 if it is not the same.
static int equal_spacing(const struct csp_parts *p, int64_t *stride)
{
    int64_t d;
    if (__builtin_sub_overflow(p->v[1].off, p->v[0].off, stride))
        return 0;
    for (size_t i = 2; i < p->count; i++)
        if (__builtin_sub_overflow(p->v[i].off, p->v[i - 1].off, &d) || d != *stride)
            return 0;
    return 1;
}

// Offsets count from the first part.
static void word_off(struct csp_builder *b, const struct csp_parts *p, size_t i)
{
    int64_t off;
    if (!csp_builder_overflow(b, __builtin_sub_overflow(p->v[i].off, p->v[0].off, &off)))
        csp_builder_word(b, off);
}

static struct csp_item equal_item(struct csp_builder *b, const struct csp_parts *p)
{
    struct csp_item one = p->v[0].item;
    int64_t stride;
    if (p->count == 1)
        return one;
    if (equal_spacing(p, &stride))
        return csp_builder_loop(b, one, (int64_t)p->count, stride);
    struct csp_node n = {.kind = CSP_NODE_PLACED,
                         .child = one.node,
                         .count = (int64_t)p->count,
                         .table = b->word_count,
                         .block = one.len};
    for (size_t i = 0; i < p->count; i++)
        word_off(b, p, i);
    return csp_builder_node(b, &n);
}

static struct csp_item item_of(const struct csp_builder *b, const struct csp_node *n, int64_t i)
{
    return (struct csp_item){csp_node_item_len(n, b->words, i),
                             csp_node_is_leaf(n) ? CSP_NO_NODE
                                                 : csp_node_item_child(n, b->words, i)};
}

// The parts with small nodes taken apart.
static struct csp_parts inlined(struct csp_builder *b, const struct csp_parts *p)
{
    struct csp_parts out = {0};
    for (size_t i = 0; i < p->count && b->status == CSP_OK; i++) {
        const struct csp_part *part = &p->v[i];
        const struct csp_node *n =
            part->item.node == CSP_NO_NODE ? NULL : &b->nodes[part->item.node];
        if (!n || n->count > INLINE_ITEMS || (n->kind != CSP_NODE_LIST && !csp_node_is_leaf(n))) {
            csp_parts_add(b, &out, part->off, part->item);
            continue;
        }
        for (int64_t k = 0; k < n->count; k++) {
            int64_t off;
            if (!csp_builder_overflow(
                    b, __builtin_add_overflow(part->off, csp_node_item_off(n, b->words, k), &off)))
                csp_parts_add(b, &out, off, item_of(b, n, k));
        }
    }
    return out;
}

// A run as a node, for a list that has other nodes.
static struct csp_item as_node(struct csp_builder *b, struct csp_item item)
{
    struct csp_node n = {.child = CSP_NO_NODE, .count = 1, .block = item.len};
    return item.node == CSP_NO_NODE ? csp_builder_node(b, &n) : item;
}

static struct csp_item list_item(struct csp_builder *b, struct csp_parts *p)
{
    int runs = 1;
    int64_t start = 0;
    for (size_t i = 0; i < p->count; i++)
        runs &= p->v[i].item.node == CSP_NO_NODE;
    for (size_t i = 0; i < p->count && !runs; i++)
        p->v[i].item = as_node(b, p->v[i].item);
    struct csp_node n = {.kind = CSP_NODE_LIST,
                         .child = runs ? CSP_NO_NODE : 0,
                         .count = (int64_t)p->count,
                         .table = b->word_count};
    for (size_t i = 0; i < p->count && b->status == CSP_OK; i++) {
        word_off(b, p, i);
        csp_builder_word(b, start);
        if (!runs)
            csp_builder_word(b, p->v[i].item.node);
        csp_builder_overflow(b, __builtin_add_overflow(start, p->v[i].item.len, &start));
    }
    n.size = start;
    return csp_builder_node(b, &n);
}

struct csp_item csp_parts_item(struct csp_builder *b, struct csp_parts *p, int64_t *first_off)
{
    struct csp_item nothing = {0, CSP_NO_NODE};
    *first_off = p->count ? p->v[0].off : 0;
    if (b->status != CSP_OK || p->count == 0)
        return nothing;
    if (all_equal(p))
        return equal_item(b, p);
    struct csp_parts flat = inlined(b, p);
    struct csp_item item = nothing;
    if (b->status == CSP_OK && flat.count > 0)
        item = all_equal(&flat) ? equal_item(b, &flat) : list_item(b, &flat);
    free(flat.v);
    return item;
}
