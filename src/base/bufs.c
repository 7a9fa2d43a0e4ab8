// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "base/bufs.h"

#include <stdlib.h>

// Which list; CSP_BUFS_CLASSES: too large for any.
static unsigned class_of(size_t bytes)
{
    unsigned c = 0;
    while (c < CSP_BUFS_CLASSES && ((size_t)1 << (CSP_BUFS_LEAST + c)) < bytes)
        c++;
    return c;
}

void *csp_bufs_take(struct csp_bufs *bufs, size_t bytes)
{
    unsigned c = class_of(bytes);
    struct csp_buf *b = c < CSP_BUFS_CLASSES ? bufs->idle[c] : NULL;
    if (b) {
        bufs->idle[c] = b->next;
        bufs->kept_bytes -= b->room;
        return b;
    }
    size_t room = c < CSP_BUFS_CLASSES ? (size_t)1 << (CSP_BUFS_LEAST + c) : bytes;
    b = malloc(bufs->head_bytes + room);
    if (b)
        b->room = room;
    return b;
}

void csp_bufs_give(struct csp_bufs *bufs, struct csp_buf *buf)
{
    unsigned c = class_of(buf->room);
    if (c == CSP_BUFS_CLASSES || bufs->kept_bytes + buf->room > bufs->keep_bytes) {
        free(buf);
        return;
    }
    buf->next = bufs->idle[c];
    bufs->idle[c] = buf;
    bufs->kept_bytes += buf->room;
}

void csp_bufs_free(struct csp_bufs *bufs)
{
    for (unsigned c = 0; c < CSP_BUFS_CLASSES; c++)
        while (bufs->idle[c]) {
            struct csp_buf *b = bufs->idle[c];
            bufs->idle[c] = b->next;
            free(b);
        }
    bufs->kept_bytes = 0;
}
