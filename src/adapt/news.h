// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What every node should know of every user, one byte for each, told by the ghosts alone (TPDS 5.3.3): along a tree of
// the nodes' first ghosts, up to the root and from there down to all. Who passes news on waits for more, so
// that a ghost sends and receives no more of them the more nodes there are. No news, no messages. docs/design/adaptive.md.
//
//   first ghost of a node       on the way up          root                  first ghosts
//   changed, interval over ---> table; collected, ---> table; collected, --> table, NEWS to the children
//                               a share of the         likewise
//                               interval over
//   users are done, and those
//   of the children --- END --> ... of all children -> END ---------------> END to the children; over
//
// Pure code: no MPI, no clock. One thread (a ghost's loop). Messages from one node to another arrive in order.
#ifndef CSP_ADAPT_NEWS_H
#define CSP_ADAPT_NEWS_H

#include "adapt/pack.h"

enum {
    CSP_NEWS_ROOT = 0,
    CSP_NEWS_CHILDREN = 8, // of a node in the tree
    CSP_NEWS_SHARES = 32,  // of an interval: news are passed on at most so often in it
};

enum csp_news_kind {
    CSP_NEWS_UP,   // to the parent: records (pack.h)
    CSP_NEWS_DOWN, // to a child: records
    CSP_NEWS_DONE, // to the parent: the last one
    CSP_NEWS_END,  // to a child: the last one
};

/** Sends to the first ghost of a node. */
typedef void (*csp_news_send)(void *ctx, int to_node, enum csp_news_kind kind, const void *text,
                              size_t bytes);

struct csp_news_config {
    int node, nnodes; // own; all
    // place of a node's first user in the table; [nnodes] is the number of all
    const int32_t *first;
    _Atomic uint8_t *table; // [place]: 0 or 1; the own node's are written by the caller
    uint64_t interval_ns;   // between two tellings of the own node's
    csp_news_send send;
    void *ctx;
};

struct csp_news {
    struct csp_news_config config;
    int changed;      // the own users' bytes
    int32_t *waiting; // nodes whose news are to be passed on,
    uint8_t *waits;   // [node]: it is one of them
    int nwaiting;
    int ending, ended, over;  // csp_news_end was called; children that are done; see below
    uint64_t own_ns, pass_ns; // the next time at the earliest
};

void csp_news_begin(struct csp_news *n, const struct csp_news_config *config);
void csp_news_free(struct csp_news *n);

/** A byte of the own node changed. */
static inline void csp_news_changed(struct csp_news *n)
{
    n->changed = 1;
}

void csp_news_receive(struct csp_news *n, enum csp_news_kind kind, const void *text, size_t bytes);

/** To be called often. @return 1 if something was told. */
int csp_news_turn(struct csp_news *n, uint64_t now_ns);

/** Nothing will change here any more. When `over` is 1, no message is on its way to this node. */
void csp_news_end(struct csp_news *n);

#endif
