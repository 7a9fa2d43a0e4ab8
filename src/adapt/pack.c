// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "adapt/pack.h"

#include <string.h>
#include "base/log.h"

int csp_pack_add(struct csp_pack *p, int node, const _Atomic uint8_t *off, int users)
{
    int32_t number = node;
    uint16_t count = (uint16_t)users;
    CSP_CHECK(users <= CSP_PACK_USERS, "%d users on a node", users);
    if (p->bytes + csp_pack_record_bytes(users) > sizeof(p->at))
        return 0;
    unsigned char *at = p->at + p->bytes;
    p->bytes += csp_pack_record_bytes(users);
    memset(at, 0, csp_pack_record_bytes(users));
    memcpy(at, &number, sizeof(number));
    memcpy(at + sizeof(number), &count, sizeof(count));
    at += sizeof(number) + sizeof(count);
    for (int i = 0; i < users; i++)
        if (atomic_load_explicit(&off[i], memory_order_relaxed))
            at[i / 8] |= (unsigned char)(1U << i % 8);
    return 1;
}

int csp_pack_next(const void *text, size_t bytes, size_t *at, struct csp_pack_record *r)
{
    const unsigned char *from = (const unsigned char *)text + *at;
    if (*at + csp_pack_record_bytes(0) > bytes)
        return 0;
    memcpy(&r->node, from, sizeof(r->node));
    memcpy(&r->users, from + sizeof(r->node), sizeof(r->users));
    r->bits = from + csp_pack_record_bytes(0);
    *at += csp_pack_record_bytes(r->users);
    return *at <= bytes;
}
