// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What the leaders of a window's nodes tell each other when predictions changed, so that all know all: each round they
// pass on what they heard in those before. A node without news adds nothing. docs/design/adaptive.md.
//
//   leader i      round 0            round 1              round r
//   own record -> to i + 1 ........> to i + 2 ..........> to i + 2^r: of the 2^r nodes up to i
//
// Pure code: no MPI. One thread calls, another may deliver; messages from one to another arrive in order. A message may
// come before this process begins.
#ifndef CSP_ADAPT_SHARE_H
#define CSP_ADAPT_SHARE_H

#include "adapt/pack.h"
#include "adapt/rounds.h"

/** Sends to a leader. `last`: there is no more in this round. */
typedef void (*csp_share_send)(void *ctx, int to, int round, int last, const void *text,
                               size_t bytes);

struct csp_share;

/** Leader `me` of `n`. */
struct csp_share *csp_share_new(int me, int n);
void csp_share_free(struct csp_share *s);

/** A message of csp_share_send. */
void csp_share_receive(struct csp_share *s, int round, int last, const void *text, size_t bytes);

/** The own node's record: the users' bytes. Before the first round, and only if there are news. */
void csp_share_own(struct csp_share *s, const _Atomic uint8_t *off, int users);

/** Round 0, 1 ... csp_rounds(n) - 1, each when the one before was heard. */
void csp_share_tell(const struct csp_share *s, int round, csp_share_send send, void *ctx);
int csp_share_heard(const struct csp_share *s, int round);

/** After the last round: each record, of other leaders; records end when the share is freed. */
void csp_share_each(const struct csp_share *s,
                    void (*visit)(void *ctx, const struct csp_pack_record *r), void *ctx);

#endif
