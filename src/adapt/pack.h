// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What is predicted for the users of some nodes, packed into a message: records, each of a node, the number of its
// users and a bit for each of them. Pure code.
#ifndef CSP_ADAPT_PACK_H
#define CSP_ADAPT_PACK_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CSP_PACK_BYTES = 8000,  // of a message, at most
    CSP_PACK_USERS = 60000, // of a node, at most: a record fits
};

struct csp_pack {
    size_t bytes;
    unsigned char at[CSP_PACK_BYTES];
};

struct csp_pack_record {
    int32_t node;
    uint16_t users;
    const unsigned char *bits;
};

static inline int csp_pack_bit(const struct csp_pack_record *r, int user)
{
    return r->bits[user / 8] >> user % 8 & 1;
}

/** Bytes of a node's record. */
static inline size_t csp_pack_record_bytes(int users)
{
    return sizeof(int32_t) + sizeof(uint16_t) + ((size_t)users + 7) / 8;
}

/** Adds a node whose users have the bytes `off`, 0 or 1. @return 0: there is no room. */
int csp_pack_add(struct csp_pack *p, int node, const _Atomic uint8_t *off, int users);

/** The record at `*at`, which moves behind it. @return 0: there is none, or not all of it. */
int csp_pack_next(const void *text, size_t bytes, size_t *at, struct csp_pack_record *r);

#endif
