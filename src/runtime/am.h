// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Control messages ("AM"): 64 bytes between any two processes on csp_rt.ctl, the only communicator
// that carries them, and behind some of them a text. Ghosts poll in their loop, users inside Casper's waits (csp_wait_turn).
// Handlers run in the polling thread, under one lock: they must not wait; a user's handler must not
// send. Messages from one process to another arrive in order (MPI's non-overtaking rule: one tag).
#ifndef CSP_RUNTIME_AM_H
#define CSP_RUNTIME_AM_H

#include <stddef.h>
#include <stdint.h>

enum csp_am_type {
    CSP_AM_LOCK,      // user -> ghost: request; a = window rank or -1 (all on the node), b = type
    CSP_AM_UNLOCK,    // user -> ghost: a, b as in the request
    CSP_AM_GRANT,     // ghost -> user: cookie of the request (locks and token)
    CSP_AM_TOKEN,     // user -> first ghost: creation token wanted
    CSP_AM_TOKEN_END, // user -> first ghost: token given back
    CSP_AM_WIN_MAP,   // user -> ghost of its node: attach the window's segment
    CSP_AM_WIN_MAKE,  // user -> ghost of its node: create the internal window now
    CSP_AM_WIN_DROP,  // user -> ghost of its node: creation failed, detach
    CSP_AM_WIN_FREE,  // user -> ghost of its node: free the internal window
    CSP_AM_BARRIER,   // user -> user: a = round, b = votes (csp_win_vote), off = which
    CSP_AM_POST,      // user -> user: a = window rank of the poster
    CSP_AM_COMPLETE,  // user -> user
    CSP_AM_AWAKE,     // user -> ghost: do not sleep for a nanoseconds
    CSP_AM_SOFT_ASK,  // user -> ghost: acknowledge when piece a is executed (rma_flow.c)
    CSP_AM_SOFT_ACK, // ghost -> user: a = last piece executed, b = its MPI error code, and then its window
    CSP_AM_ROUTE_JOIN, // user -> first ghost of its node: the route to node a, please; b = the window's first node, off = the gate
    CSP_AM_ROUTE_LEAVE, // user -> first ghost of its node: no more
    CSP_AM_ROUTE_KEEP,  // first ghost -> first ghost: struct csp_keep_msg (ghost_route.c)
    CSP_AM_PROFILE, // leader -> leader: a = round, b = 1: its last; text: predictions (rma_profile.c)
    CSP_AM_NEWS, // first ghost -> first ghost: a = enum csp_news_kind; text: predictions (ghost_rate.c)
    CSP_AM_TYPES
};

// Type of a lock request.
enum { CSP_LOCK_SHARED, CSP_LOCK_EXCLUSIVE };

enum { CSP_AM_TEXT_BYTES = 8000 }; // at most

struct csp_am {
    uint16_t type;       // enum csp_am_type
    uint16_t text_bytes; // behind this; set by csp_am_send
    int32_t src;         // wrank of the sender; set by csp_am_send
    uint64_t gid;        // window
    int32_t a, b;
    uint64_t cookie;   // echoed in the answer
    uint64_t off;      // offset in the receiver's node segment
    uint64_t spare[3]; // lock requests and grants: the first is a stamp (ghost_lock.c)
};

/** What came with a message that a handler was given. */
static inline const void *csp_am_text(const struct csp_am *msg)
{
    return msg + 1;
}

typedef void (*csp_am_handler)(const struct csp_am *msg);

/** Installs the handler of a type; before the first poll. */
void csp_am_handle(enum csp_am_type type, csp_am_handler handler);

/**
 * Ghosts: who takes pieces of the software route (runtime/piece.h). `has_room`: whether one more can be
 * taken now; `take`: receives the message of `bytes` bytes with `tag` from `wrank` that is waiting.
 * @return of `take`: MPI error code.
 */
void csp_am_on_piece(int (*has_room)(void), int (*take)(int wrank, int bytes, int tag));

/** Posts what is needed on csp_rt.ctl. @return MPI error code. */
int csp_am_start(void);

/**
 * Users, all of them, when nothing more will be sent: tells the ghosts of the node how many
 * messages they must have received before they may leave. Collective over the users.
 */
void csp_am_settle(void);

/** The MPI library returned `rc` from `what`: names a process that has died, if that is why, or else says so. Ends
 * the job. */
_Noreturn void csp_am_failed(const char *what, int rc);

/** Completes what this process sent; after everybody stopped sending. */
void csp_am_stop(void);

/** Receives and handles what is there, at most `max` messages and pieces; drives MPI's progress.
 * @return number of messages; what ghosts tell each other is no work and does not count. */
int csp_am_poll(int max);

/** The same until nothing is there, and if another thread is about it when that one has finished: what was here before the call is handled. */
void csp_am_poll_surely(void);

/**
 * Of a call that was over without the MPI library, and that a program may repeat until something changes: every 64th polls, so that
 * the program's own messages and others' operations go on, as they do over the library.
 */
void csp_am_poll_at_times(void);

/** Sends; a user returns when the message is out, a ghost never waits. Rings the bell of a ghost
 * here. */
void csp_am_send(int wrank, struct csp_am *msg);

/** Rings a ghost, by its number [node * ng + gidx], if it is one of this node: after a message to
 * it that went out by other ways. */
void csp_am_ring(int ghost);

/** The same with `bytes` bytes of text, which are copied. */
void csp_am_send_text(int wrank, struct csp_am *msg, const void *text, size_t bytes);

#endif
