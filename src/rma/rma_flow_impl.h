// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What rma_flow.c, which sends, and rma_flow_done.c, which completes, share.
#ifndef CSP_RMA_FLOW_IMPL_H
#define CSP_RMA_FLOW_IMPL_H

#include <pthread.h>
#include "base/bufs.h"
#include "base/log.h"
#include "rma/rma_flow.h"
#include "runtime/am.h"

struct csp_slot {
    struct csp_buf buf;
    struct csp_slot *next;
    MPI_Request sends[2], receive;
    uint32_t seq;
    int nsends;             // 2 if the payload leaves from the program's buffer
    int replies;            // `receive` is in use
    int ack;                // MPI error code, with CSP_PIECE_WANT_ACK
    size_t under_way;       // bytes that count as credit
    size_t bytes;           // of the message
    struct csp_side result; // unless the reply comes straight to its place
    int64_t first;
    char *reply; // behind the message, or NULL
    _Alignas(CSP_PIECE_ALIGN) char message[];
};

struct csp_flow {
    _Atomic uint32_t done;   // pieces that the ghost told us it executed; by any thread
    _Atomic uint32_t silent; // the last one without a reply: if it failed, a message says so,
    _Atomic uint32_t told;   // and up to this one it did
    uint32_t sent, asked,
        held; // last piece sent, last with an acknowledgement, last that holds memory of the program
    size_t under_way;
    uint32_t npieces;
    struct csp_slot *first, **last;
    struct csp_slot *unanswered;  // the first whose reply, if it has one, is not here yet
    struct csp_slot *train;       // not yet sent
    struct csp_piece *tail;       // its last piece
    uint64_t begun_ns;            // the train, or else the last message of one small piece
    uint64_t now_ns;              // the last small piece
    struct csp_flow *next_joined; // of those that had a train since csp_rma_depart
    int joined;
};

// All but what is atomic in them: under csp_flow_lock.
extern CSP_INTERNAL struct csp_flow *csp_flows; // [node * ng + gidx]
extern CSP_INTERNAL pthread_mutex_t csp_flow_lock;
extern CSP_INTERNAL struct csp_bufs csp_flow_bufs;

// rma_flow_done.c
/** Handles CSP_AM_SOFT_ACK. */
void csp_flow_on_ack(const struct csp_am *msg);
/** Takes replies, and the buffers at the head of the flow that are done with. @return MPI error code. */
int csp_flow_reap(struct csp_flow *f);
/** Asks the ghost to tell when all that was sent is executed. */
void csp_flow_ask(int ghost, struct csp_flow *f);

#endif
