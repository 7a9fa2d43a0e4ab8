// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Walking a layout. Level 0 is the elements, a strided node of the cursor's own; the levels below
// are nodes of the layout. A partial sum of offsets is always where some item's first byte lies,
// hence within the range that csp_layout_begin has checked: no sum here overflows.
#include "dtype/layout_walk.h"

enum csp_status csp_layout_range(const struct csp_layout *l, int64_t disp, int64_t count,
                                 int64_t *lo, int64_t *hi)
{
    int64_t last, bytes;
    *lo = *hi = disp;
    if (count < 0)
        return CSP_ERR_ARG;
    if (count == 0 || l->size_bytes == 0)
        return CSP_OK;
    if (__builtin_mul_overflow(count - 1, l->extent, &last) ||
        __builtin_mul_overflow(count, l->size_bytes, &bytes) ||
        __builtin_add_overflow(disp, last < 0 ? last : 0, lo) ||
        __builtin_add_overflow(*lo, l->true_lb, lo) ||
        __builtin_add_overflow(disp, last > 0 ? last : 0, hi) ||
        __builtin_add_overflow(*hi, l->true_ub, hi))
        return CSP_ERR_ARG;
    return CSP_OK;
}

enum csp_status csp_layout_begin(struct csp_layout_cursor *c, const struct csp_layout *l,
                                 int64_t disp, int64_t count)
{
    int64_t lo, hi;
    enum csp_status status = csp_layout_range(l, disp, count, &lo, &hi);
    if (status != CSP_OK)
        return status;
    c->layout = l;
    c->elements = (struct csp_node){.child = l->block_count == 1 ? CSP_NO_NODE : l->node_count - 1,
                                    .count = l->contig ? 1 : count,
                                    .stride = l->extent,
                                    .block = l->contig ? count * l->size_bytes : l->size_bytes,
                                    .size = count * l->size_bytes};
    c->level[0].off = disp + (c->elements.size ? l->first_off : 0);
    csp_layout_seek(c, 0);
    return CSP_OK;
}

// The item of a list that holds a packed byte.
static int64_t list_find(const struct csp_node *n, const int64_t *words, int64_t pos)
{
    uint64_t step = csp_node_words(n);
    const int64_t *start = words + n->table + 1;
    int64_t lo = 0, hi = n->count;
    while (hi - lo > 1) {
        int64_t mid = lo + (hi - lo) / 2;
        if (start[(uint64_t)mid * step] <= pos)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

// The item of a node that holds the node's packed byte *pos, which becomes a byte of the item.
static int64_t find_item(const struct csp_node *n, const int64_t *words, int64_t *pos)
{
    if (*pos == 0)
        return 0;
    int64_t item = n->kind == CSP_NODE_LIST ? list_find(n, words, *pos) : *pos / n->block;
    *pos -= n->kind == CSP_NODE_LIST ? csp_node_list_start(n, words, item) : item * n->block;
    return item;
}

// From a level, whose item is known, to the leaf below it and to the byte `pos` of the item.
static void go_down(struct csp_layout_cursor *c, uint32_t level, int64_t pos)
{
    const struct csp_node *nodes = csp_layout_nodes(c->layout);
    const int64_t *words = csp_layout_words(c->layout);
    const struct csp_node *n = csp_cursor_node(c, level);
    while (!csp_node_is_leaf(n)) {
        const struct csp_layout_level *here = &c->level[level++];
        uint32_t child = csp_node_item_child(n, words, here->item);
        int64_t off = here->off + csp_node_item_off(n, words, here->item);
        n = &nodes[child];
        c->level[level] = (struct csp_layout_level){child, find_item(n, words, &pos), off};
    }
    c->top = level;
    c->skip = pos;
}

void csp_layout_seek(struct csp_layout_cursor *c, int64_t packed_off)
{
    CSP_CHECK(packed_off >= 0 && packed_off <= c->elements.size, "seek to byte %lld of %lld",
              (long long)packed_off, (long long)c->elements.size);
    c->left = c->elements.size - packed_off;
    if (c->left == 0)
        return;
    c->level[0].item = find_item(&c->elements, csp_layout_words(c->layout), &packed_off);
    go_down(c, 0, packed_off);
}

// Widens [*lo, *hi) by an item of a node that lies at `off`.
static void span_item(const struct csp_layout_cursor *c, const struct csp_node *n, int64_t off,
                      int64_t item, int64_t *lo, int64_t *hi)
{
    const int64_t *words = csp_layout_words(c->layout);
    int64_t at = off + csp_node_item_off(n, words, item), from = at, to = at;
    if (csp_node_is_leaf(n)) {
        to += csp_node_item_len(n, words, item);
    } else {
        const struct csp_node *child =
            &csp_layout_nodes(c->layout)[csp_node_item_child(n, words, item)];
        from += child->lo;
        to += child->hi;
    }
    *lo = from < *lo ? from : *lo;
    *hi = to > *hi ? to : *hi;
}

void csp_layout_span(const struct csp_layout_cursor *c, int64_t bytes, int64_t *lo, int64_t *hi)
{
    struct csp_layout_cursor last = *c;
    uint32_t level = 0;
    csp_layout_seek(&last, c->elements.size - c->left + bytes - 1);
    while (level < c->top && c->level[level].item == last.level[level].item)
        level++;
    const struct csp_node *n = csp_cursor_node(c, level);
    int64_t first = c->level[level].item, end = last.level[level].item;
    // The items of a strided node that lie farthest out are those at its ends.
    int64_t step = n->kind == CSP_NODE_STRIDED && end > first ? end - first : 1;
    *lo = INT64_MAX;
    *hi = INT64_MIN;
    for (int64_t item = first; item <= end; item += step)
        span_item(c, n, c->level[level].off, item, lo, hi);
}

void csp_cursor_carry(struct csp_layout_cursor *c)
{
    uint32_t level = c->top;
    if (c->left == 0)
        return;
    while (c->level[level].item == csp_cursor_node(c, level)->count)
        c->level[--level].item++; // level 0 is never full: there are bytes left
    go_down(c, level, 0);
}

// The rest of the current block; 0 at the end.
static int64_t peek(const struct csp_layout_cursor *c, int64_t *off)
{
    if (c->left == 0)
        return 0;
    const struct csp_node *n = csp_cursor_node(c, c->top);
    const struct csp_layout_level *at = &c->level[c->top];
    const int64_t *words = csp_layout_words(c->layout);
    *off = at->off + csp_node_item_off(n, words, at->item) + c->skip;
    return csp_node_item_len(n, words, at->item) - c->skip;
}

int64_t csp_layout_next(struct csp_layout_cursor *c, int64_t max_bytes, int64_t *off)
{
    int64_t len = peek(c, off);
    len = len < max_bytes ? len : max_bytes;
    if (len <= 0)
        return 0;
    csp_cursor_move(c, len);
    return len;
}

int csp_layout_iov(struct csp_layout_cursor *c, const void *base, struct iovec *iov, int max_iov,
                   size_t max_bytes)
{
    int64_t room = max_bytes > INT64_MAX ? INT64_MAX : (int64_t)max_bytes, off, len;
    uintptr_t end = 0;
    int n = 0;
    while (room > 0 && (len = peek(c, &off)) > 0) {
        uintptr_t at = (uintptr_t)base + (uintptr_t)off;
        int joins = n > 0 && at == end;
        if (!joins && n == max_iov)
            break;
        len = len < room ? len : room;
        if (joins)
            iov[n - 1].iov_len += (size_t)len;
        else
            iov[n++] = (struct iovec){(void *)at, (size_t)len};
        end = at + (uintptr_t)len;
        room -= len;
        csp_cursor_move(c, len);
    }
    return n;
}
