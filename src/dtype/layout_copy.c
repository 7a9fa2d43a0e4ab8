// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Copies between two streams. Each side shows the equal blocks that lie before it; what both show is
// copied in one loop, which knows the common block sizes. Packing is a copy to one long block.
#include "dtype/layout_walk.h"

#include <string.h>

// Equal blocks: block i at `at` + i * stride, or at `at` + offs[i].
struct view {
    char *at;
    const int64_t *offs;
    int64_t stride, count, block;
};

static inline char *moved(const char *p, int64_t off)
{
    return (char *)((uintptr_t)p + (uintptr_t)off); // p may be NULL and off an address
}

static void look(const struct csp_layout_cursor *c, const char *base, struct view *v)
{
    const struct csp_node *n = csp_cursor_node(c, c->top);
    const struct csp_layout_level *at = &c->level[c->top];
    const int64_t *words = csp_layout_words(c->layout);
    v->stride = n->stride;
    v->count = n->count - at->item;
    v->offs = NULL;
    v->block = csp_node_item_len(n, words, at->item) - c->skip;
    v->at = moved(base, at->off);
    if (n->kind == CSP_NODE_PLACED && c->skip == 0) {
        v->offs = words + n->table + at->item;
        return;
    }
    v->at = moved(v->at, csp_node_item_off(n, words, at->item) + c->skip);
    if (n->kind != CSP_NODE_STRIDED || c->skip > 0)
        v->count = 1;
}

// The first block alone, seen as several of `block` bytes.
static void cut(struct view *v, int64_t block)
{
    if (v->block == block)
        return;
    if (v->offs)
        v->at = moved(v->at, v->offs[0]);
    v->offs = NULL;
    v->count = v->block / block;
    v->stride = v->block = block;
}

static inline char *place(const struct view *v, int placed, int64_t i)
{
    return moved(v->at, placed ? v->offs[i] : i * v->stride);
}

// `bytes` and the kinds are constants where the loop shall be short.
static inline __attribute__((always_inline)) void loop(const struct view *to,
                                                       const struct view *from, int64_t n,
                                                       size_t bytes, int to_placed, int from_placed)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(place(to, to_placed, i), place(from, from_placed, i), bytes);
}

static inline __attribute__((always_inline)) void
copy_sized(const struct view *to, const struct view *from, int64_t n, size_t bytes)
{
    if (to->offs && from->offs)
        loop(to, from, n, bytes, 1, 1);
    else if (to->offs)
        loop(to, from, n, bytes, 1, 0);
    else if (from->offs)
        loop(to, from, n, bytes, 0, 1);
    else
        loop(to, from, n, bytes, 0, 0);
}

static void copy_blocks(const struct view *to, const struct view *from, int64_t n, int64_t block)
{
    switch (block) {
    case 4:
        copy_sized(to, from, n, 4);
        break;
    case 8:
        copy_sized(to, from, n, 8);
        break;
    case 16:
        copy_sized(to, from, n, 16);
        break;
    default:
        copy_sized(to, from, n, (size_t)block);
    }
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

size_t csp_layout_copy(struct csp_layout_cursor *from, const void *from_base,
                       struct csp_layout_cursor *to, void *to_base, size_t bytes)
{
    int64_t all = least(from->left, to->left);
    if (bytes < (size_t)all)
        all = (int64_t)bytes;
    for (int64_t left = all; left > 0;) {
        struct view f, t;
        look(from, from_base, &f);
        look(to, to_base, &t);
        int64_t block = least(least(f.block, t.block), left);
        cut(&f, block);
        cut(&t, block);
        int64_t n = least(least(f.count, t.count), left / block);
        copy_blocks(&t, &f, n, block);
        csp_cursor_move(from, n * block);
        csp_cursor_move(to, n * block);
        left -= n * block;
    }
    return (size_t)all;
}

// A stream that lies in one run of `bytes` bytes, at offset 0.
static const struct csp_layout run = {.block_count = 1, .contig = 1};

static void begin_run(struct csp_layout_cursor *c, int64_t bytes)
{
    c->layout = &run;
    c->elements =
        (struct csp_node){.child = CSP_NO_NODE, .count = 1, .block = bytes, .size = bytes};
    c->level[0].off = 0;
    csp_layout_seek(c, 0);
}

size_t csp_layout_pack(struct csp_layout_cursor *from, const void *base, void *dst, size_t bytes)
{
    struct csp_layout_cursor to;
    begin_run(&to, from->left);
    return csp_layout_copy(from, base, &to, dst, bytes);
}

size_t csp_layout_unpack(struct csp_layout_cursor *to, void *base, const void *src, size_t bytes)
{
    struct csp_layout_cursor from;
    begin_run(&from, to->left);
    return csp_layout_copy(&from, src, to, base, bytes);
}
