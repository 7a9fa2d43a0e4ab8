// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Pieces under way from this process to ghosts: buffers, credit, replies, completion. Ghosts are
// named by node * ng + gidx. User role, any thread. docs/design/software.md.
#ifndef CSP_RMA_FLOW_H
#define CSP_RMA_FLOW_H

#include "rma/rma_direct.h"
#include "runtime/piece.h"

/** Memory of the program that a message needs: where its reply goes, bytes [first, first + bytes) of the stream of `result`; its payload. */
struct csp_flow_data {
    const struct csp_side *result; // NULL: no reply; it need not live longer than the call
    int64_t first;
    const char *payload; // NULL: it is in the message
};

/** Installs the handler of acknowledgements and makes what is needed. */
void csp_flow_start(void);

/** Gives the memory back; nothing is under way any more. */
void csp_flow_stop(void);

/**
 * Room for a piece with this head to `ghost`; waits while too much is under way to it, or copied for all of them. What comes back must be
 * given to csp_flow_send by the same thread, with the same `data`.
 */
struct csp_piece *csp_flow_begin(int ghost, const struct csp_piece *head,
                                 const struct csp_flow_data *data);

/**
 * Numbers and sends the piece, or leaves it, if it is one of many small ones, to a message that brings several: with the next one, before
 * csp_flow_last tells a number, or by csp_rma_depart (rma.h). Ends the job if the MPI library cannot.
 */
void csp_flow_send(int ghost, struct csp_piece *piece, const struct csp_flow_data *data);

/** The number of the last message to `ghost`, which has all pieces so far; `local`: of those that hold memory of the program, for a result or with the payload. */
uint32_t csp_flow_last(int ghost, int local);

/**
 * One look; asks the ghost if need be. @return 1 if all messages to `ghost` up to number `seq` are executed and their replies
 * here (`local`: the latter, and their payloads have left), or the MPI library failed: its error in *rc.
 */
int csp_flow_look(int ghost, uint32_t seq, int local, int *rc);

/** After the last look, with its `rc`. @return that, or the MPI error code of a message to `ghost` of the window `w` (NULL: it is
 * gone) that failed since the last call. */
int csp_flow_end(struct csp_win *w, int ghost, int rc);

/**
 * Waits until all that was sent to `ghost` before is executed there and its replies are here
 * (`local`: the latter, and its payload has left). @return as csp_flow_end.
 */
int csp_flow_flush(struct csp_win *w, int ghost, int local);

#endif
