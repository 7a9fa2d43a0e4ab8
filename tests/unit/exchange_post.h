// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Control messages between the ghosts of a simulated job, with what they cost (exchange_sim.h).
#ifndef CSP_TESTS_EXCHANGE_POST_H
#define CSP_TESTS_EXCHANGE_POST_H

#include <stddef.h>
#include "exchange_sim.h"

enum { EXCHANGE_HEAD_BYTES = 64 }; // of a control message

/** A processor's time for a message at either end. */
static inline double exchange_end_ns(size_t bytes)
{
    return exchange_net.overhead_ns + (double)(EXCHANGE_HEAD_BYTES + bytes) * exchange_net.byte_ns;
}

struct exchange_letter {
    struct exchange_letter *next;
    double at_ns; // when it arrives
    int from, kind;
    size_t bytes;
    unsigned char text[];
};

/** A ghost: its processor, what it did since the last exchange_desk_forget, its letters. Zeros, then exchange_desk_open. */
struct exchange_desk {
    int node;
    double free_ns; // its processor
    int messages;   // sent and received
    double bytes, busy_ns;
    struct exchange_letter *first, **end;
};

void exchange_desk_open(struct exchange_desk *d, int node);
void exchange_desk_forget(struct exchange_desk *d);

void exchange_send(struct exchange_desk *from, struct exchange_desk *to, double now_ns, int kind,
                   const void *text, size_t bytes);

/** The next one that has arrived, or NULL; to note it takes `user_ns` for each of `users`. To be freed. */
struct exchange_letter *exchange_take(struct exchange_desk *d, double now_ns);
void exchange_note(struct exchange_desk *d, double now_ns, const struct exchange_letter *l,
                   int users);

/** calloc, or the end. */
void *exchange_calloc(size_t n, size_t bytes);

#endif
