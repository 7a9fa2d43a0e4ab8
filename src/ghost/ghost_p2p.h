// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Sends and receives, the ghosts' part; ladder in docs/design/twosided.md.
//   ghost_p2p.c    what users post, matching, delivery
//   ghost_net.c    messages between ghosts
//   ghost_data.c   data of large messages: inside the node, and between ghosts
#ifndef CSP_GHOST_P2P_H
#define CSP_GHOST_P2P_H

#include <stddef.h>
#include "ghost/ghost_poll.h"
#include "match/match.h"
#include "runtime/cell.h"
#include "runtime/stats.h"

// Data that do not wait for their receive, at most: a send is over when its ghost has them.
enum {
    CSP_EAGER_LOCAL = 16 << 10, // inside the node, where others are copied once
    CSP_EAGER_NET = 64 << 10,   // between nodes, with their envelope
};

enum csp_p2p_type {
    CSP_P2P_EAGER,  // envelope and data
    CSP_P2P_LOCAL,  // envelope; the sender's cell is in this node's segment
    CSP_P2P_OFFER,  // envelope; the data are with the sender
    CSP_P2P_ACCEPT, // answer to OFFER: send `bytes` bytes with tag `slot`
    CSP_P2P_ACK,    // a synchronous send has been matched
};

// A message between two ghosts; of EAGER the data follow.
struct csp_p2p_head {
    uint32_t type, flags; // enum csp_p2p_type; flags of the sender's cell
    struct csp_envelope env;
    uint64_t bytes;    // of data
    uint64_t cell_off; // the sender's cell, in its node's segment
    int32_t lrank;     // the receiver, on its node
    int32_t slot;      // ACCEPT
    int32_t from;      // rank in csp_rt.ghost_comm of the ghost that sent it
    int32_t unused;
};

/** A message for a user of this ghost. `data`: of EAGER, valid during the call. */
void csp_ghost_arrive(const struct csp_p2p_head *h, const char *data);

/** A user of this node has something to look at. */
void csp_ghost_ring(int lrank);

/** Counts a message for the report. */
void csp_ghost_carried(enum csp_carried how, uint64_t bytes);

/** Answers a cell: its user may go on. */
void csp_ghost_cell_done(struct csp_cell *c);

/** Both sides of a message, `send` NULL or not, before anybody is woken: a process that sent to itself finds them done together. */
void csp_ghost_cells_done(struct csp_cell *recv, struct csp_cell *send);

// ghost_net.c
void csp_ghost_net_start(void);
/** Never waits. `data`: h->bytes of them, of EAGER. */
void csp_ghost_net_send(int to, struct csp_p2p_head *h, struct csp_cell *data);
/** Whether users may post more now: what is on its way has a bound, in messages and in bytes. */
int csp_ghost_net_room(void);
void csp_ghost_net_poll(struct csp_ghost_poll *p); // adds what the turn waits for
int csp_ghost_net_turn(void);                      // @return messages that came
/** 1 once all ghosts have sent all that they will, and this one has taken up its part. Only when users are done. */
int csp_ghost_net_over(void);
void csp_ghost_net_stop(void);

// ghost_data.c: both cells are answered when the data are there.
void csp_ghost_data_copy(struct csp_cell *send, struct csp_cell *recv);
void csp_ghost_data_receive(const struct csp_p2p_head *offer, struct csp_cell *recv);
void csp_ghost_data_send(const struct csp_p2p_head *accept);
void csp_ghost_data_poll(struct csp_ghost_poll *p); // likewise
int csp_ghost_data_turn(void);                      // @return 1 if something moved
int csp_ghost_data_idle(void);
void csp_ghost_data_stop(void);

/**
 * From or to the memory of a cell's user, bytes [at, at + bytes) of its stream; dies if it is not there. Where `mine` is that
 * memory nothing is to be done.
 */
void csp_ghost_data_touch(struct csp_cell *c, int write, char *mine, uint64_t at, uint64_t bytes);

#endif
