// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What every node should know of every user, one byte for each, told by the ghosts alone (TPDS 5.3.3): the first ghost
// of a node with news tells the root, which passes them down a tree. No news, no messages. docs/design/adaptive.md.
//
//   first ghost of a node     root                    first ghosts
//   changed, interval over -- NEWS --> table, ------- NEWS ------> table, NEWS to its children
//   users are done ---------- END ---> of all nodes:  END -------> END to its children; over
//
// Pure code: no MPI, no clock. One thread (a ghost's loop). Messages from one node to another arrive in order.
#ifndef CSP_ADAPT_NEWS_H
#define CSP_ADAPT_NEWS_H

#include <stdatomic.h>
#include <stdint.h>

enum { CSP_NEWS_WORDS = 3, CSP_NEWS_USERS = 64 * CSP_NEWS_WORDS, CSP_NEWS_ROOT = 0 };

struct csp_news_msg {
    int32_t node;
    int32_t first; // user of the node; -1: the end
    uint64_t bits[CSP_NEWS_WORDS];
};

typedef void (*csp_news_send)(void *ctx, int to_node, const struct csp_news_msg *msg);

struct csp_news_config {
    int node, nnodes; // own; all
    const int32_t
        *first; // place of a node's first user in the table; [nnodes] is the number of all
    _Atomic uint8_t *table; // [place]: 0 or 1; the own node's are written by the caller
    uint64_t interval_ns;   // between two tellings of the own node's
    csp_news_send send;
    void *ctx;
};

struct csp_news {
    struct csp_news_config config;
    int changed, ending,
        ended; // own users' bytes; csp_news_end was called; nodes that ended (root)
    int over;
    uint64_t next_ns;
};

void csp_news_begin(struct csp_news *n, const struct csp_news_config *config);

/** A byte of the own node changed. */
static inline void csp_news_changed(struct csp_news *n)
{
    n->changed = 1;
}

void csp_news_receive(struct csp_news *n, const struct csp_news_msg *msg);

/** To be called often. @return 1 if something was told. */
int csp_news_turn(struct csp_news *n, uint64_t now_ns);

/** Nothing will change here any more. When `over` is 1, no message is on its way to this node. */
void csp_news_end(struct csp_news *n);

#endif
