// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "adapt/share.h"

#include <stdlib.h>
#include <string.h>
#include "base/log.h"

// Records in the order of their distance: of the leader itself, of the one behind it ...
struct heard {
    unsigned char *text;
    size_t bytes, room;
    _Atomic int over; // release: pairs with csp_share_heard
};

struct csp_share {
    int me, n;
    struct csp_pack own;
    struct heard heard[CSP_ROUNDS];
};

struct csp_share *csp_share_new(int me, int n)
{
    struct csp_share *s = calloc(1, sizeof(*s));
    CSP_CHECK(s, "out of memory for an exchange of predictions");
    s->me = me;
    s->n = n;
    return s;
}

void csp_share_free(struct csp_share *s)
{
    for (int r = 0; r < CSP_ROUNDS; r++)
        free(s->heard[r].text);
    free(s);
}

void csp_share_receive(struct csp_share *s, int round, int last, const void *text, size_t bytes)
{
    CSP_CHECK(round >= 0 && round < CSP_ROUNDS, "exchange of predictions: round %d", round);
    struct heard *h = &s->heard[round];
    if (h->bytes + bytes > h->room) {
        h->room = 2 * h->room + bytes;
        void *text_room = realloc(h->text, h->room);
        CSP_CHECK(text_room, "out of memory for an exchange of predictions");
        h->text = text_room;
    }
    if (bytes)
        memcpy(h->text + h->bytes, text, bytes);
    h->bytes += bytes;
    atomic_store_explicit(&h->over, last, memory_order_release);
}

int csp_share_heard(const struct csp_share *s, int round)
{
    return atomic_load_explicit(&s->heard[round].over, memory_order_acquire);
}

void csp_share_own(struct csp_share *s, const _Atomic uint8_t *off, int users)
{
    csp_pack_add(&s->own, s->me, off, users);
}

// A message on its way.
struct out {
    const struct csp_share *share;
    csp_share_send send;
    void *ctx;
    int to, round;
    struct csp_pack pack;
};

static void append(struct out *o, const unsigned char *record, size_t bytes)
{
    if (o->pack.bytes + bytes > sizeof(o->pack.at)) {
        o->send(o->ctx, o->to, o->round, 0, o->pack.at, o->pack.bytes);
        o->pack.bytes = 0;
    }
    memcpy(o->pack.at + o->pack.bytes, record, bytes);
    o->pack.bytes += bytes;
}

// Those of the nodes that the receiver does not hear of otherwise.
static void append_heard(struct out *o, const unsigned char *text, size_t bytes)
{
    const struct csp_share *s = o->share;
    struct csp_pack_record r;
    int64_t missing = s->n - (INT64_C(1) << o->round);
    for (size_t from = 0, at = 0; csp_pack_next(text, bytes, &at, &r); from = at)
        if ((s->me - r.node + s->n) % s->n < missing)
            append(o, text + from, at - from);
}

void csp_share_tell(const struct csp_share *s, int round, csp_share_send send, void *ctx)
{
    struct out o = {s, send, ctx, csp_rounds_to(s->me, s->n, round), round, {.bytes = 0}};
    append_heard(&o, s->own.at, s->own.bytes);
    for (int r = 0; r < round; r++)
        append_heard(&o, s->heard[r].text, s->heard[r].bytes);
    send(ctx, o.to, round, 1, o.pack.at, o.pack.bytes);
}

void csp_share_each(const struct csp_share *s,
                    void (*visit)(void *ctx, const struct csp_pack_record *r), void *ctx)
{
    struct csp_pack_record record;
    for (int r = 0; r < csp_rounds(s->n); r++)
        for (size_t at = 0; csp_pack_next(s->heard[r].text, s->heard[r].bytes, &at, &record);)
            visit(ctx, &record);
}
