// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Steps of a cursor that walking and copying share.
#ifndef CSP_DTYPE_LAYOUT_WALK_H
#define CSP_DTYPE_LAYOUT_WALK_H

#include "base/log.h"
#include "dtype/layout_node.h"

static inline const struct csp_node *csp_cursor_node(const struct csp_layout_cursor *c,
                                                     uint32_t level)
{
    return level == 0 ? &c->elements : &csp_layout_nodes(c->layout)[c->level[level].node];
}

/** The leaf's items are used up: to the next leaf, or nowhere at the end of the stream. */
void csp_cursor_carry(struct csp_layout_cursor *c);

/** Over `bytes` bytes, which do not go beyond the leaf nor, in a list, beyond the block. */
static inline void csp_cursor_move(struct csp_layout_cursor *c, int64_t bytes)
{
    const struct csp_node *n = csp_cursor_node(c, c->top);
    struct csp_layout_level *at = &c->level[c->top];
    int64_t len = csp_node_item_len(n, csp_layout_words(c->layout), at->item);
    int64_t pos = c->skip + bytes;
    c->left -= bytes;
    if (pos < len) {
        c->skip = pos;
        return;
    }
    CSP_ASSERT(n->kind != CSP_NODE_LIST || pos == len);
    at->item += pos == len ? 1 : pos / len;
    c->skip = pos == len ? 0 : pos % len;
    if (at->item == n->count)
        csp_cursor_carry(c);
}

#endif
