// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Buffers that are kept for the next user, by size. One thread at a time; the caller locks.
#ifndef CSP_BASE_BUFS_H
#define CSP_BASE_BUFS_H

#include <stddef.h>

enum {
    CSP_BUFS_LEAST = 10,   // log2 of the smallest size
    CSP_BUFS_CLASSES = 12, // sizes 1 KB, 2 KB ... 2 MB; a larger one is not kept
    CSP_BUFS_EXTRA = 256,  // each has that much more, so that a message's head does not double it
};

/** What a kept object starts with. */
struct csp_buf {
    struct csp_buf *next; // free for the owner's own lists while the buffer is in use
    size_t room;          // bytes behind the head
};

/** Zeroed but for the first two. */
struct csp_bufs {
    size_t head_bytes; // of the objects, `struct csp_buf` included; the buffer follows
    size_t keep_bytes; // kept at most
    size_t kept_bytes;
    size_t used_bytes; // of those that are taken
    struct csp_buf *idle[CSP_BUFS_CLASSES];
};

/** An object with room for `bytes` bytes behind its head, not initialised; NULL: no memory. */
void *csp_bufs_take(struct csp_bufs *bufs, size_t bytes);

/** Gives it back. If too much is kept then, others than those of its size are freed first. */
void csp_bufs_give(struct csp_bufs *bufs, struct csp_buf *buf);

/** Frees what is kept. */
void csp_bufs_free(struct csp_bufs *bufs);

#endif
