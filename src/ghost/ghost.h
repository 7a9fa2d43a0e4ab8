// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The ghost role: progress for the users of a node. One thread, never waits for a user.
#ifndef CSP_GHOST_GHOST_H
#define CSP_GHOST_GHOST_H

#include <stdint.h>

struct csp_seg;

/** Installs the ghost's message handlers. */
void csp_ghost_start(void);

/** The progress loop; returns when the users of the node are done. */
void csp_ghost_loop(void);

// ghost_signals.c: what is sent to all processes of a job is for the program.
void csp_ghost_signals(void);
void csp_ghost_signals_before(void); // MPI_Init, in any role

// ghost_lock.c: locks of this node's targets. ghost_token.c: order of window creations (first ghost
// of the job).
void csp_ghost_lock_start(void);
/** Looks at requests that wait for the node's lock_all counter. @return number of grants. */
int csp_ghost_lock_turn(void);
/** Watchdog: when a request waits for longer than CSP_WATCHDOG_S, says who holds and who waits. */
void csp_ghost_lock_watch(uint64_t now_ns);
void csp_ghost_token_start(void);

// ghost_win.c: internal windows of windows with their own segment.
void csp_ghost_win_start(void);
/** Executes what messages asked for; collective with users that are already there. @return number.
 */
int csp_ghost_win_turn(void);

/** The segment of the internal window with this id; NULL: not mapped here. */
const struct csp_seg *csp_ghost_win_seg(uint64_t id);

// ghost_soft.c: operations that this ghost executes itself.
void csp_ghost_soft_start(void);
/** Executes what has come. @return number of pieces. */
int csp_ghost_soft_turn(void);
/** 1 if nothing is on its way in or out. */
int csp_ghost_soft_idle(void);
/** 1 if the last turn left a piece whose target a user of this node has locked. */
int csp_ghost_soft_waits_for_lock(void);
/** How many messages brought them. */
uint64_t csp_ghost_soft_messages(void);
void csp_ghost_soft_stop(void);

// ghost_route.c: first ghost of a node: routes of windows that decide by measurement (adapt/keep.h).
void csp_ghost_route_start(void);
/** @return 1 if something was done since the last turn: the ghosts' own business, no work for users. */
int csp_ghost_route_turn(uint64_t now_ns);
void csp_ghost_route_stop(void);

// ghost_rate.c: first ghost of a node: predictions for its users, by profile (runtime/predict.h).
void csp_ghost_rate_start(void);
/** @return as csp_ghost_route_turn. */
int csp_ghost_rate_turn(uint64_t now_ns);
/** The users of this node are done: 1 once no other ghost will send any more. */
int csp_ghost_rate_over(void);
void csp_ghost_rate_stop(void);

// ghost_p2p.c: sends and receives of the users of this ghost.
void csp_ghost_p2p_start(void);
/** @return number of things done. */
int csp_ghost_p2p_turn(void);
/** Whether an answer woke a user since this was asked last. */
int csp_ghost_p2p_woke(void);
/** Whether a user had woken this ghost up, and not yet come back from that, when its post was taken, since this was asked last. */
int csp_ghost_p2p_held_up(void);
/** 1 if no data of a large message are under way. */
int csp_ghost_p2p_idle(void);
/** The users of this node are done: 1 once no other ghost will send any more. */
int csp_ghost_p2p_over(void);
void csp_ghost_p2p_stop(void);

// ghost_users.c: whether users need the cores that ghosts share with them: by the CPU time that they take, whatever for.
void csp_ghost_users_start(void);
/** Looks, at most every millisecond. @return 1 if it did. */
int csp_ghost_users_turn(uint64_t now_ns);
/** Of a crowded node: whether users had all cores but the ghosts' of late. A user that sleeps, or that waits in naps, has none; one that
 * waits within the MPI library has one. 0 too where their clocks cannot be read. */
int csp_ghost_users_compute(uint64_t now_ns);
void csp_ghost_users_stop(void);

// ghost_trace.c: first ghost of a node: the node's timeline.
void csp_ghost_trace_start(void);
void csp_ghost_trace_turn(uint64_t now_ns);
void csp_ghost_trace_stop(void);

#endif
