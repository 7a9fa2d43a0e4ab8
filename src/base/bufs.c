// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "base/bufs.h"

#include <stdlib.h>

static size_t room_of(unsigned c)
{
    return ((size_t)1 << (CSP_BUFS_LEAST + c)) + CSP_BUFS_EXTRA;
}

// Which list; CSP_BUFS_CLASSES: too large for any.
static unsigned class_of(size_t bytes)
{
    unsigned c = 0;
    while (c < CSP_BUFS_CLASSES && room_of(c) < bytes)
        c++;
    return c;
}

static struct csp_buf *pop(struct csp_bufs *bufs, unsigned c)
{
    struct csp_buf *b = bufs->idle[c];
    bufs->idle[c] = b->next;
    bufs->kept_bytes -= b->room;
    return b;
}

static struct csp_buf *new_buf(const struct csp_bufs *bufs, size_t room)
{
    struct csp_buf *b = malloc(bufs->head_bytes + room);
    if (b)
        b->room = room;
    return b;
}

void *csp_bufs_take(struct csp_bufs *bufs, size_t bytes)
{
    unsigned c = class_of(bytes);
    struct csp_buf *b = c < CSP_BUFS_CLASSES && bufs->idle[c]
                            ? pop(bufs, c)
                            : new_buf(bufs, c < CSP_BUFS_CLASSES ? room_of(c) : bytes);
    if (b)
        bufs->used_bytes += b->room;
    return b;
}

// Frees others than those of class `keep`, the largest first. @return 1 if `bytes` more can be kept.
static int make_room(struct csp_bufs *bufs, unsigned keep, size_t bytes)
{
    for (unsigned c = CSP_BUFS_CLASSES; c-- > 0;)
        while (c != keep && bufs->idle[c] && bufs->kept_bytes + bytes > bufs->keep_bytes)
            free(pop(bufs, c));
    return bufs->kept_bytes + bytes <= bufs->keep_bytes;
}

void csp_bufs_give(struct csp_bufs *bufs, struct csp_buf *buf)
{
    unsigned c = class_of(buf->room);
    bufs->used_bytes -= buf->room;
    if (c == CSP_BUFS_CLASSES || !make_room(bufs, c, buf->room)) {
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
        while (bufs->idle[c])
            free(pop(bufs, c));
}
