// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// CSP_P2P=auto: a flow, all messages of the communicators with all of the program's processes, or of one other, is carried by
// the MPI library or by ghosts, and changes over at a collective call when every message that was sent has its receive. docs/design/twosided.md. User
// role, any thread.
#ifndef CSP_P2P_FLOW_H
#define CSP_P2P_FLOW_H

#include <stdatomic.h>
#include <stdint.h>
#include "adapt/traffic.h"

struct csp_p2p_comm;
struct csp_post;

enum csp_p2p_way {
    CSP_P2P_LIBRARY,
    CSP_P2P_GHOSTS,
    CSP_P2P_HELD // being changed: posts wait
};

// Over all processes both are 0 if each message that was sent has its receive. `open`: calls whose messages are not known yet
// (wildcards, probes, what is cancelled), or never will be.
struct csp_p2p_sum {
    _Atomic uint64_t balance; // names of messages: those sent minus those received, here
    _Atomic int64_t open;
};

struct csp_p2p_flow {
    _Atomic int way;          // enum csp_p2p_way
    _Atomic uint32_t changes; // of it
    _Atomic int noting;       // with threads: calls that are about to change `sum`
    struct csp_p2p_sum sum;
    // since the last look
    _Atomic uint64_t messages, elements, hidden_ns;
    uint64_t began_ns;
    uint32_t calls;
    struct csp_traffic traffic; // the decision, the same in all processes
};

/** The flow of a communicator that was just made; `own`: one that nobody else has. */
struct csp_p2p_flow *csp_p2p_flow_of(const struct csp_p2p_comm *c, struct csp_p2p_flow *own);

/** The flow is over: ghosts carry it no more, if they did. */
void csp_p2p_flow_end(struct csp_p2p_flow *f);

void csp_p2p_flow_stop(void);

/**
 * Notes a call, or the two halves of one (`other`, or NULL), also of a communicator without a flow. @return whether ghosts carry it; so
 * says post->way.
 */
int csp_p2p_flow_enter(struct csp_post *post, struct csp_post *other);

/** A call that was noted did nothing. */
void csp_p2p_flow_take_back(const struct csp_post *post);

/** A persistent request of this post is started. @return as csp_p2p_flow_enter. */
int csp_p2p_flow_started(struct csp_post *post);

/** A call that was open (post->open) is over: if it `took` place, a receive had the message of `source` with `tag`. */
void csp_p2p_flow_met(struct csp_post *post, int took, int source, int tag);

/** What was begun is to be cancelled, and open from now on. @return 0: it is too late for that. */
int csp_p2p_flow_cancel(struct csp_post *post);

/** A message of some flow was cancelled, and nobody knows which: all flows stay as they are. */
void csp_p2p_flow_lost(void);

/** What is not settled between this communicator's processes: to be added up over them; if both are 0, nothing is. */
void csp_p2p_flow_unsettled(const struct csp_p2p_comm *c, uint64_t sum[2]);

#endif
