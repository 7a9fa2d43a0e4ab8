// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Message matching of one receiver (MPI-4.1 3.5): receives in the order in which they were posted, messages in
// the order in which they came. Nodes belong to the caller, which embeds them; nothing is allocated
// but the table. One thread. Receives and messages without wildcards are found by hash.
#ifndef CSP_MATCH_MATCH_H
#define CSP_MATCH_MATCH_H

#include <stdint.h>

enum { CSP_MATCH_ANY = -1, CSP_MATCH_BINS = 256 };

/** What a receive wants, or a message has. Ranks are those of the communicator. */
struct csp_envelope {
    uint64_t context; // the communicator
    int32_t source;   // receives: or CSP_MATCH_ANY
    int32_t tag;      // likewise
};

struct csp_match_link {
    struct csp_match_link *next, *prev;
};

struct csp_match_node {
    struct csp_envelope env;
    uint64_t order;
    struct csp_match_link in_bin, in_all; // of receives: in_bin alone
};

struct csp_match {
    uint64_t order;
    struct csp_match_link receives[CSP_MATCH_BINS], wild_receives;
    struct csp_match_link messages[CSP_MATCH_BINS], all_messages;
};

void csp_match_init(struct csp_match *m);

/** A receive that no message is there for. */
void csp_match_post(struct csp_match *m, struct csp_match_node *receive);

/** Removes the receive that takes a message with this envelope. @return NULL: none. */
struct csp_match_node *csp_match_take_receive(struct csp_match *m, const struct csp_envelope *env);

/** A message that no receive is there for. */
void csp_match_keep(struct csp_match *m, struct csp_match_node *message);

/** The message that a receive with this envelope takes; it stays. @return NULL: none. */
struct csp_match_node *csp_match_find_message(const struct csp_match *m,
                                              const struct csp_envelope *env);

/** Takes a receive or message out. */
void csp_match_remove_receive(struct csp_match_node *receive);
void csp_match_remove_message(struct csp_match_node *message);

#endif
