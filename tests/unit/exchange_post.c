// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "exchange_post.h"

#include <stdlib.h>
#include <string.h>
#include "base/log.h"

void *exchange_calloc(size_t n, size_t bytes)
{
    void *p = calloc(n, bytes);
    CSP_CHECK(p, "out of memory for a simulation");
    return p;
}

void exchange_desk_open(struct exchange_desk *d, int node)
{
    *d = (struct exchange_desk){.node = node, .end = &d->first};
}

void exchange_desk_forget(struct exchange_desk *d)
{
    d->messages = 0;
    d->bytes = d->busy_ns = 0;
}

static void spend(struct exchange_desk *d, double now_ns, size_t bytes, int users)
{
    double ns = exchange_end_ns(bytes) + users * exchange_net.user_ns;
    d->free_ns = (d->free_ns > now_ns ? d->free_ns : now_ns) + ns;
    d->busy_ns += ns;
    d->bytes += (double)(EXCHANGE_HEAD_BYTES + bytes);
    d->messages++;
}

void exchange_send(struct exchange_desk *from, struct exchange_desk *to, double now_ns, int kind,
                   const void *text, size_t bytes)
{
    struct exchange_letter *l = exchange_calloc(1, sizeof(*l) + bytes);
    spend(from, now_ns, bytes, 0);
    l->at_ns = from->free_ns + exchange_net.latency_ns;
    l->from = from->node;
    l->kind = kind;
    l->bytes = bytes;
    if (bytes)
        memcpy(l->text, text, bytes);
    *to->end = l;
    to->end = &l->next;
}

struct exchange_letter *exchange_take(struct exchange_desk *d, double now_ns)
{
    struct exchange_letter **at = &d->first;
    while (*at && (*at)->at_ns > now_ns)
        at = &(*at)->next;
    struct exchange_letter *l = *at;
    if (!l)
        return NULL;
    *at = l->next;
    if (!*at)
        d->end = at;
    return l;
}

void exchange_note(struct exchange_desk *d, double now_ns, const struct exchange_letter *l,
                   int users)
{
    spend(d, now_ns, l->bytes, users);
}
