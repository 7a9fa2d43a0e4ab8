// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Software route, the ghost's part: takes pieces, executes those of one origin in their order, replies
// and acknowledges. The ladder is in src/rma/rma_flow.c. How much can be under way is bounded by the
// origins' credit; what is received here at a time by ORIGINS and RECEIVE_BYTES: an origin that computes does not send the
// rest of a large one, and must not be in the way of others. A piece that is still on its way, or
// whose target a user has locked, never keeps another origin's waiting, and nor do those behind it.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/bufs.h"
#include "base/clock.h"
#include "base/log.h"
#include "ghost/ghost.h"
#include "runtime/am.h"
#include "runtime/node.h"
#include "runtime/peers.h"
#include "runtime/piece.h"
#include "runtime/rt.h"
#include "runtime/vm.h"
#include "runtime/wnode.h"

enum {
    // Of these something is being received, or waits for what is:
    ORIGINS = 1024,
    RECEIVE_BYTES = 256 << 20,
    REPLY_BYTES = 256 << 20, // of large results on their way; beyond that one for each origin
    REAP_MOST = 32,          // of which are still on their way: looked at in a turn
    KEPT_BYTES = 4 << 20,    // of free buffers
    TRIES = 50,              // of a lock, before the piece is left for the next turn
    SMALL_BYTES = 4096, // of a piece that was sent at once, so that it is here when it is found
};

// A message in or out.
struct buffer {
    struct csp_buf buf;
    struct buffer *next;
    MPI_Request request;
    MPI_Request payload; // in: if it comes in a message of its own
    int wrank;           // the origin
    int received;        // in: complete
    // in: of the piece that is next, if the message brings several
    size_t at;  // bytes before it
    char *base; // of the segment with the target's memory; NULL: a process's own memory
    struct csp_acc_lock *lock; // of the target; NULL: none
    int error;                 // MPI error code of the first one that failed
    int parked;                // in: whole, and waits for room for its result alone
    size_t bytes;
    _Alignas(CSP_PIECE_ALIGN) char data[];
};

struct origin {
    int here;       // its pieces in `in`
    int out;        // large results on their way to it
    uint32_t walk;  // through `in`, in which one of them had to wait
    uint32_t done;  // last piece that was executed
    uint32_t asked; // an acknowledgement is wanted when this one is executed,
    int owed;       // if this is 1
};

static struct csp_bufs bufs = {.head_bytes = sizeof(struct buffer), .keep_bytes = KEPT_BYTES};
static struct buffer *in, **in_last = &in, *out, **out_last = &out;
static int out_count;
static size_t out_bytes;   // of large ones
static int in_origins;     // who have a piece in `in`,
static size_t in_bytes;    // which has room for so many
static int parked_origins; // of these: none of what is being received waits for them
static size_t parked_bytes;
static int waits_for_lock;     // as of the last turn
static int executed;           // since the last turn
static uint64_t taken;         // messages
static struct origin *origins; // [wrank]; made when the first piece comes
static struct csp_piece_room room;

static struct buffer *buffer_take(size_t bytes)
{
    struct buffer *b = csp_bufs_take(&bufs, bytes);
    CSP_CHECK(b, "out of memory for an RMA operation of %zu bytes", bytes);
    b->bytes = bytes;
    return b;
}

static int has_room(void)
{
    return in_origins - parked_origins < ORIGINS && in_bytes - parked_bytes < RECEIVE_BYTES;
}

static struct origin *origin_of(int wrank)
{
    if (!origins)
        origins = calloc((size_t)csp_rt.topo->nranks, sizeof(*origins));
    CSP_CHECK(origins, "out of memory for RMA operations");
    return &origins[wrank];
}

// A payload that comes apart is received where it would be otherwise, and its receive posted at once: the probe for the next
// message must not find it.
static int take_payload(struct buffer *b, int room_bytes)
{
    return csp_mpi.Irecv(b->data + b->bytes, room_bytes, MPI_BYTE, b->wrank, CSP_PIECE_PAYLOAD_TAG,
                         csp_rt.ctl, &b->payload);
}

// `error`, with its window `gid`: of the last piece, which failed.
static void acknowledge(int wrank, struct origin *o, int error, uint64_t gid)
{
    struct csp_am msg = {.type = CSP_AM_SOFT_ACK, .gid = gid, .a = (int32_t)o->done, .b = error};
    o->owed = o->owed && (int32_t)(o->done - o->asked) < 0; // the question may overtake pieces
    csp_am_send(wrank, &msg);
}

static void on_ask(const struct csp_am *msg)
{
    struct origin *o = origin_of(msg->src);
    o->asked = (uint32_t)msg->a;
    o->owed = 1;
    if ((int32_t)(o->done - o->asked) >= 0)
        acknowledge(msg->src, o, MPI_SUCCESS, 0);
}

static int mpi_error(enum csp_status s, const struct csp_piece *p)
{
    if (s == CSP_ERR_SYS && errno == ESRCH)
        csp_peers_lost();
    if (s != CSP_OK && s != CSP_ERR_ARG)
        csp_error("an RMA operation on process %d of this node failed: %s",
                  csp_node_procs(csp_rt.page)[p->lrank].wrank, csp_status_string(s));
    return csp_piece_error(s);
}

static const struct csp_piece *piece_at(const struct buffer *b, size_t at)
{
    return (const struct csp_piece *)(b->data + at);
}

static void out_append(struct buffer *b)
{
    b->next = NULL;
    *out_last = b;
    out_last = &b->next;
    out_count++;
    if (b->buf.room > SMALL_BYTES) {
        out_bytes += b->buf.room;
        origin_of(b->wrank)->out++;
    }
}

static struct buffer *out_take(void)
{
    struct buffer *b = out;
    out = b->next;
    if (!out)
        out_last = &out;
    out_count--;
    if (b->buf.room > SMALL_BYTES) {
        out_bytes -= b->buf.room;
        origin_of(b->wrank)->out--;
    }
    return b;
}

// The origins' credit bounds what a ghost keeps for each, not for all: thousands may read from one node at once. One that
// computes does not receive its result, and must not be in the way of others.
static int has_reply_room(const struct buffer *b)
{
    const struct csp_piece *p = piece_at(b, b->at);
    return out_bytes < REPLY_BYTES || !csp_piece_replies(p->kind) || p->bytes <= SMALL_BYTES ||
           origin_of(b->wrank)->out == 0;
}

static void send_reply(struct buffer *b, int wrank)
{
    int rc = csp_mpi.Isend(b->data, (int)b->bytes, MPI_BYTE, wrank, CSP_PIECE_REPLY_TAG, csp_rt.ctl,
                           &b->request);
    CSP_CHECK(rc == MPI_SUCCESS, "the MPI library could not send a reply to process %d", wrank);
    b->wrank = wrank;
    out_append(b);
}

// A whole message: where the target of its next piece is.
static void locate(struct buffer *b)
{
    const struct csp_piece *p = piece_at(b, b->at);
    const struct csp_seg *pool = &csp_rt.pool, *seg = NULL;
    int good = b->at < b->bytes && csp_piece_check(p, b->bytes - b->at) == CSP_OK &&
               p->lock_off % sizeof(*b->lock) == 0 && p->lock_off < pool->bytes;
    if (good && (b->at > 0 || p->flags & CSP_PIECE_MORE))
        good = !csp_piece_replies(p->kind);
    if (good && p->seg != CSP_PIECE_PRIVATE) {
        seg = p->seg == CSP_PIECE_POOL ? pool : csp_ghost_win_seg(p->seg);
        good = seg && csp_piece_check_place(p, seg->bytes) == CSP_OK;
    }
    CSP_CHECK(good, "process %d sent something that is no operation", b->wrank);
    b->base = seg ? seg->base : NULL;
    b->lock =
        p->lock_off ? (struct csp_acc_lock *)((char *)pool->base + p->lock_off) : NULL; // NOLINT
}

// All of the message is executed. `result`: what was there, if the origin gets it back.
static void answer(const struct buffer *b, struct buffer *result)
{
    const struct csp_piece *p = piece_at(b, 0);
    struct origin *o = origin_of(b->wrank);
    struct buffer *reply = result;
    int failed = b->error != MPI_SUCCESS;
    if (p->flags & CSP_PIECE_WANT_ACK) {
        reply = buffer_take(sizeof(b->error));
        memcpy(reply->data, &b->error, sizeof(b->error));
    } else if (result && failed) {
        result->bytes = 0; // that is how the origin knows
    }
    o->done = p->seq;
    if ((failed && !reply) || (o->owed && (int32_t)(o->done - o->asked) >= 0))
        acknowledge(b->wrank, o, reply ? MPI_SUCCESS : b->error, p->win);
    if (reply)
        send_reply(reply, b->wrank);
}

// The piece that is next. @return 1 if it was the last one.
static int execute(struct buffer *b)
{
    const struct csp_piece *p = piece_at(b, b->at);
    struct buffer *result = csp_piece_replies(p->kind) ? buffer_take(p->bytes) : NULL;
    enum csp_status s =
        csp_piece_exec(p, csp_piece_payload(p), b->base, result ? result->data : NULL, &room);
    if (b->lock)
        csp_acc_release(b->lock);
    if (b->error == MPI_SUCCESS)
        b->error = mpi_error(s, p);
    if (p->flags & CSP_PIECE_MORE) {
        b->at += csp_piece_step(csp_piece_size(p));
        locate(b);
        return 0;
    }
    answer(b, result);
    return 1;
}

// @return 1 if it is complete.
static int receive(struct buffer *b)
{
    if (b->received)
        return 1;
    MPI_Status status;
    int here = 0, bytes = 0, apart = b->payload != MPI_REQUEST_NULL;
    int rc = csp_mpi.Test(&b->request, &here, MPI_STATUS_IGNORE);
    if (rc == MPI_SUCCESS && here && apart) {
        rc = csp_mpi.Test(&b->payload, &here, &status);
        if (rc == MPI_SUCCESS && here)
            rc = csp_mpi.Get_count(&status, MPI_BYTE, &bytes);
    }
    if (rc != MPI_SUCCESS)
        csp_am_failed("receiving an RMA operation", rc);
    if (!here)
        return 0;
    b->bytes += (size_t)bytes;
    b->received = 1;
    locate(b);
    return 1;
}

// A user of this node may have the lock, for as long as one piece takes; its core may be taken away meanwhile,
// so it is not waited for.
static int try_lock(const struct buffer *b)
{
    for (int n = 0; b->lock && !csp_acc_try(b->lock); n++) {
        if (n == TRIES)
            return 0;
        csp_cpu_relax();
    }
    return 1;
}

// @return 1: all of the message; 0: a user has a lock, or there is no room for the result.
static int execute_all(struct buffer *b)
{
    while (has_reply_room(b) && try_lock(b))
        if (execute(b))
            return 1;
    return 0;
}

// A small one that nothing is in the way of. To look for the next message first takes longer than all the rest.
static int execute_at_once(struct buffer *b)
{
    if (b->bytes > SMALL_BYTES || b->payload != MPI_REQUEST_NULL || origin_of(b->wrank)->here ||
        !receive(b) || !execute_all(b))
        return 0;
    executed++;
    csp_bufs_give(&bufs, &b->buf);
    return 1;
}

static void put_off(struct buffer *b)
{
    b->next = NULL;
    *in_last = b;
    in_last = &b->next;
    in_origins += origin_of(b->wrank)->here++ == 0;
    in_bytes += b->buf.room;
}

static int take(int wrank, int bytes, int tag)
{
    int apart = csp_piece_payload_room(tag);
    struct buffer *b = buffer_take((size_t)bytes + (size_t)apart);
    b->bytes = (size_t)bytes;
    b->wrank = wrank;
    b->received = 0;
    b->at = 0;
    b->error = MPI_SUCCESS;
    b->parked = 0;
    b->payload = MPI_REQUEST_NULL;
    int rc = csp_mpi.Irecv(b->data, bytes, MPI_BYTE, wrank, tag, csp_rt.ctl, &b->request);
    if (rc == MPI_SUCCESS && apart)
        rc = take_payload(b, apart);
    if (rc == MPI_SUCCESS && !execute_at_once(b))
        put_off(b);
    taken++;
    return rc;
}

static void park(struct buffer *b, int parked)
{
    if (b->parked == parked)
        return;
    b->parked = parked;
    parked_origins += parked ? 1 : -1;
    parked_bytes += parked ? b->buf.room : -b->buf.room;
}

// Takes the piece out of the list, in which the link at `at` leads to it.
static void remove_at(struct buffer **at, struct origin *o)
{
    struct buffer *b = *at;
    park(b, 0);
    *at = b->next;
    if (!*at)
        in_last = at;
    in_origins -= --o->here == 0;
    in_bytes -= b->buf.room;
    csp_bufs_give(&bufs, &b->buf);
}

// The oldest of each origin, and those behind it as long as nothing is in the way.
static int execute_ready(void)
{
    static uint32_t walk;
    int n = 0;
    walk++;
    waits_for_lock = 0;
    for (struct buffer **at = &in; *at;) {
        struct buffer *b = *at;
        struct origin *o = origin_of(b->wrank);
        int whole = o->walk != walk && receive(b), locked = whole && !execute_all(b);
        if (locked) {
            park(b, !has_reply_room(b));
            waits_for_lock |= !b->parked;
        }
        if (!whole || locked) {
            o->walk = walk;
            at = &b->next;
            continue;
        }
        remove_at(at, o);
        n++;
    }
    return n;
}

static void reap(void)
{
    for (int left = out_count, on_way = 0; left > 0 && on_way < REAP_MOST; left--) {
        struct buffer *b = out_take();
        int done = 0, rc = csp_mpi.Test(&b->request, &done, MPI_STATUS_IGNORE);
        if (rc != MPI_SUCCESS)
            csp_am_failed("sending the result of an RMA operation", rc);
        if (!done) {
            out_append(b);
            on_way++;
            continue;
        }
        csp_bufs_give(&bufs, &b->buf);
    }
}

int csp_ghost_soft_turn(void)
{
    int n = executed;
    executed = 0;
    if (in)
        n += execute_ready();
    reap();
    return n;
}

uint64_t csp_ghost_soft_messages(void)
{
    return taken;
}

int csp_ghost_soft_idle(void)
{
    return !in && !out;
}

int csp_ghost_soft_waits_for_lock(void)
{
    return waits_for_lock;
}

void csp_ghost_soft_start(void)
{
    csp_vm_probe();
    csp_am_handle(CSP_AM_SOFT_ASK, on_ask);
    csp_am_on_piece(has_room, take);
}

void csp_ghost_soft_stop(void)
{
    csp_bufs_free(&bufs);
    free(origins);
    free(room.mem);
}
