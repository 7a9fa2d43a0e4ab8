// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Nodes of a layout in the making, kept canonical: what can be one node is one.
#include "dtype/layout_canon.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOOK_BACK = 32,      // nodes compared with a new one
    LIST_RUNS = 1 << 26, // runs that a flattened node may have
};

void csp_builder_fail(struct csp_builder *b, enum csp_status status)
{
    if (b->status == CSP_OK)
        b->status = status;
}

int csp_builder_overflow(struct csp_builder *b, int overflowed)
{
    if (overflowed)
        csp_builder_fail(b, CSP_ERR_ARG);
    return overflowed;
}

int csp_builder_grow(struct csp_builder *b, void **array, uint64_t *room, uint64_t count,
                     size_t size)
{
    if (count < *room)
        return 1;
    uint64_t more = *room ? 2 * *room : 16;
    void *v = realloc(*array, more * size);
    if (!v) {
        csp_builder_fail(b, CSP_ERR_NOMEM);
        return 0;
    }
    *array = v;
    *room = more;
    return 1;
}

void csp_builder_word(struct csp_builder *b, int64_t word)
{
    void *v = b->words;
    if (csp_builder_grow(b, &v, &b->word_room, b->word_count, sizeof(word)))
        ((int64_t *)v)[b->word_count++] = word;
    b->words = v;
}

static struct csp_body body_of(const struct csp_builder *b)
{
    return (struct csp_body){b->nodes, b->words, b->word_count};
}

// Equal but for where their words are.
static int same_node(const struct csp_builder *b, const struct csp_node *x,
                     const struct csp_node *y)
{
    struct csp_node moved = *x;
    moved.table = y->table;
    return memcmp(&moved, y, sizeof(moved)) == 0 &&
           memcmp(b->words + x->table, b->words + y->table,
                  (uint64_t)x->count * csp_node_words(x) * sizeof(int64_t)) == 0;
}

static uint32_t find_node(struct csp_builder *b, const struct csp_node *n)
{
    for (uint64_t i = b->node_count; i > 0 && i + LOOK_BACK > b->node_count; i--)
        if (n->kind == CSP_NODE_STRIDED ? memcmp(&b->nodes[i - 1], n, sizeof(*n)) == 0
                                        : same_node(b, &b->nodes[i - 1], n))
            return (uint32_t)(i - 1);
    return CSP_NO_NODE;
}

struct csp_item csp_builder_node(struct csp_builder *b, struct csp_node *n)
{
    struct csp_item nothing = {0, CSP_NO_NODE};
    struct csp_body body = body_of(b);
    if (b->status == CSP_OK)
        csp_builder_fail(b, csp_node_derive(&body, (uint32_t)b->node_count, n));
    if (b->status != CSP_OK)
        return nothing;
    uint32_t known = find_node(b, n);
    if (known != CSP_NO_NODE) {
        b->word_count -= (uint64_t)n->count * csp_node_words(n);
        return (struct csp_item){n->size, known};
    }
    void *v = b->nodes;
    if (b->node_count >= CSP_NO_NODE - 1)
        csp_builder_fail(b, CSP_ERR_NOMEM);
    else if (csp_builder_grow(b, &v, &b->node_room, b->node_count, sizeof(*n)))
        ((struct csp_node *)v)[b->node_count++] = *n;
    b->nodes = v;
    return b->status == CSP_OK ? (struct csp_item){n->size, (uint32_t)(b->node_count - 1)}
                               : nothing;
}

static struct csp_item import_node(struct csp_builder *b, const struct csp_layout *l,
                                   uint32_t index, const uint32_t *known)
{
    struct csp_node n = csp_layout_nodes(l)[index];
    const int64_t *w = csp_layout_words(l) + n.table;
    uint64_t step = csp_node_words(&n), words = (uint64_t)n.count * step;
    if (n.kind != CSP_NODE_STRIDED)
        n.table = b->word_count;
    for (uint64_t i = 0; i < words; i++)
        csp_builder_word(b, step == 3 && i % 3 == 2 ? known[w[i]] : w[i]);
    if (n.kind != CSP_NODE_LIST && !csp_node_is_leaf(&n))
        n.child = known[n.child];
    return csp_builder_node(b, &n);
}

struct csp_item csp_builder_import(struct csp_builder *b, const struct csp_layout *l)
{
    struct csp_item item = {0, CSP_NO_NODE};
    if (l->depth == 0)
        return item;
    const struct csp_node *root = &csp_layout_nodes(l)[l->node_count - 1];
    if (csp_node_is_leaf(root) && root->count == 1)
        return (struct csp_item){root->size, CSP_NO_NODE};
    uint32_t *known = malloc(l->node_count * sizeof(*known));
    if (!known)
        csp_builder_fail(b, CSP_ERR_NOMEM);
    for (uint32_t i = 0; known && i < l->node_count && b->status == CSP_OK; i++) {
        item = import_node(b, l, i, known);
        known[i] = item.node;
    }
    free(known);
    return item;
}

struct csp_item csp_builder_loop(struct csp_builder *b, struct csp_item item, int64_t count,
                                 int64_t stride)
{
    struct csp_item nothing = {0, CSP_NO_NODE};
    int64_t all;
    if (b->status != CSP_OK || count == 0 || item.len == 0)
        return nothing;
    if (csp_builder_overflow(b, count < 0 || __builtin_mul_overflow(count, item.len, &all)))
        return nothing;
    if (count == 1)
        return item;
    if (item.node == CSP_NO_NODE && stride == item.len)
        return (struct csp_item){all, CSP_NO_NODE};
    struct csp_node n = {.child = item.node, .count = count, .stride = stride, .block = item.len};
    if (item.node != CSP_NO_NODE) {
        struct csp_node inner = b->nodes[item.node];
        int64_t span;
        if (inner.kind == CSP_NODE_STRIDED && inner.count > 1 &&
            !__builtin_mul_overflow(inner.count, inner.stride, &span) && span == stride) {
            inner.count *= count; // at most `all`, the bytes
            n = inner;
        }
    }
    return csp_builder_node(b, &n);
}

// A node as a list of its runs; neighbours become one.
struct flat {
    uint64_t table, count;
    int64_t end, size; // where the last run ends, and bytes so far
};

static void flat_run(struct csp_builder *b, struct flat *f, int64_t off, int64_t len)
{
    if (f->count == 0 || off != f->end) {
        csp_builder_word(b, off);
        csp_builder_word(b, f->size);
        f->count++;
    }
    f->end = off + len;
    f->size += len;
}

static void flat_node(struct csp_builder *b, struct flat *f, uint32_t index, int64_t off)
{
    struct csp_node n = b->nodes[index];
    for (int64_t i = 0; i < n.count && b->status == CSP_OK; i++) {
        int64_t at = off + csp_node_item_off(&n, b->words, i);
        if (csp_node_is_leaf(&n))
            flat_run(b, f, at, csp_node_item_len(&n, b->words, i));
        else
            flat_node(b, f, csp_node_item_child(&n, b->words, i), at);
    }
}

static void flatten(struct csp_builder *b, uint32_t index)
{
    struct csp_node *n = &b->nodes[index];
    struct flat f = {.table = b->word_count};
    if (n->runs > LIST_RUNS)
        csp_builder_fail(b, CSP_ERR_NOMEM);
    flat_node(b, &f, index, 0);
    *n = (struct csp_node){.kind = CSP_NODE_LIST,
                           .child = CSP_NO_NODE,
                           .count = (int64_t)f.count,
                           .table = f.table,
                           .size = f.size};
    if (f.count == 1)
        *n = (struct csp_node){.child = CSP_NO_NODE, .count = 1, .block = f.size};
}

// One level less: the lowest nodes above leaves become leaves.
static void lower(struct csp_builder *b)
{
    for (uint64_t i = 0; i < b->node_count && b->status == CSP_OK; i++) {
        struct csp_node *n = &b->nodes[i];
        if (n->height == 2)
            flatten(b, (uint32_t)i);
        struct csp_body body = body_of(b);
        if (b->status == CSP_OK)
            csp_builder_fail(b, csp_node_derive(&body, (uint32_t)i, n));
    }
}

// remap[i]: the index of node i among those that the root needs, or CSP_NO_NODE.
static uint32_t number_nodes(const struct csp_builder *b, uint32_t root, uint32_t *remap,
                             uint64_t *words)
{
    uint32_t count = 0;
    memset(remap, 0xff, (root + UINT64_C(1)) * sizeof(*remap));
    remap[root] = 0;
    for (uint64_t i = root + UINT64_C(1); i-- > 0;) {
        const struct csp_node *n = &b->nodes[i];
        if (remap[i] == CSP_NO_NODE || csp_node_is_leaf(n))
            continue;
        for (int64_t k = 0; k < (n->kind == CSP_NODE_LIST ? n->count : 1); k++)
            remap[csp_node_item_child(n, b->words, k)] = 0;
    }
    *words = 0;
    for (uint64_t i = 0; i <= root; i++) {
        if (remap[i] == CSP_NO_NODE)
            continue;
        remap[i] = count++;
        *words += (uint64_t)b->nodes[i].count * csp_node_words(&b->nodes[i]);
    }
    return count;
}

static void copy_nodes(const struct csp_builder *b, uint32_t root, const uint32_t *remap,
                       struct csp_layout *l)
{
    struct csp_node *to = (struct csp_node *)(l + 1);
    int64_t *words = (int64_t *)(to + l->node_count);
    uint64_t used = 0;
    for (uint64_t i = 0; i <= root; i++) {
        struct csp_node n = b->nodes[i];
        uint64_t step = csp_node_words(&n), count = (uint64_t)n.count * step;
        if (remap[i] == CSP_NO_NODE)
            continue;
        for (uint64_t k = 0; k < count; k++) {
            int64_t word = b->words[n.table + k];
            words[used + k] = step == 3 && k % 3 == 2 ? remap[word] : word;
        }
        n.table = count ? used : 0;
        if (n.kind != CSP_NODE_LIST && !csp_node_is_leaf(&n))
            n.child = remap[n.child];
        used += count;
        *to++ = n;
    }
}

static struct csp_layout *assemble(struct csp_builder *b, struct csp_item item,
                                   const struct csp_layout *head)
{
    uint32_t nodes = 0, *remap = calloc(b->node_count + 1, sizeof(*remap));
    uint64_t words = 0;
    if (remap && item.len > 0)
        nodes = number_nodes(b, item.node, remap, &words);
    uint64_t bytes = sizeof(*head) + nodes * sizeof(struct csp_node) + words * sizeof(int64_t);
    struct csp_layout *l = remap ? malloc(bytes) : NULL;
    if (l) {
        *l = *head;
        l->magic = CSP_LAYOUT_MAGIC;
        l->node_count = nodes;
        l->word_count = words;
        l->bytes = bytes;
        if (nodes)
            copy_nodes(b, item.node, remap, l);
        csp_builder_fail(b, csp_layout_derive(l, nodes ? &csp_layout_nodes(l)[nodes - 1] : NULL));
    } else {
        csp_builder_fail(b, CSP_ERR_NOMEM);
    }
    free(remap);
    return l;
}

enum csp_status csp_builder_finish(struct csp_builder *b, struct csp_item item,
                                   const struct csp_layout *head, struct csp_layout **out)
{
    *out = NULL;
    if (item.len > 0 && item.node == CSP_NO_NODE) {
        struct csp_node run = {.child = CSP_NO_NODE, .count = 1, .block = item.len};
        item = csp_builder_node(b, &run);
    }
    while (b->status == CSP_OK && item.len > 0 && b->nodes[item.node].height > CSP_LAYOUT_DEPTH)
        lower(b);
    struct csp_layout *l = b->status == CSP_OK ? assemble(b, item, head) : NULL;
    if (b->status == CSP_OK)
        *out = l;
    else
        free(l);
    free(b->nodes);
    free(b->words);
    return b->status;
}
