// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
//
//   origin                                              target's ghost
//   [room in the flow? else wait] receive of the reply
//   piece (number n)  ---------------------------------> executed in the order of its origin
//   [its payload]     ---------------------------------> if it is long: from the program's memory
//   result            <--------------------------------- reply, if there is one: all up to n is done
//   acknowledgement   <--------------------------------- if the piece wants one; it comes like a reply
//   CSP_AM_SOFT_ASK   ---------------------------------> CSP_AM_SOFT_ACK when all up to n is done
//
// Small pieces without results that come close upon each other travel together, with one number: a train. It leaves when it is full or
// was begun BURST_NS ago, before any other piece, when somebody wants to wait for it, and before any call of MPI that is no RMA operation:
// one that completes nothing at the target, as MPI_Win_flush_local, MPI_Win_sync or the wait for a request, may be the last for long.
// The numbers of one flow are in order, so one number says what is done.
#include <pthread.h>
#include <stdlib.h>
#include "base/clock.h"
#include "rma/rma_flow_impl.h"
#include "rma/rma_nudge.h"
#include "runtime/detours.h"
#include "runtime/wait.h"

enum {
    CREDIT_PIECES = 64,                 // under way to one ghost, at most
    CREDIT_BYTES = 5 * CSP_PIECE_BYTES, // and this, both ways: two with results, so that one
                                        // travels while the other is executed
    ACK_EVERY = 16,                     // pieces
    COPIED_BYTES = 16 << 20,            // of messages under way to all ghosts, at most;
    COPIED_LESS = 12 << 20,             // once it is too much there must not be more than this
    KEPT_BYTES = 4 << 20,               // of free buffers
    TRAIN_BYTES = 4096,                 // so that the ghost executes it when it finds it
    TRAIN_PIECE = 512,                  // bytes of a piece that is worth it
    BURST_NS = 20000,                   // from one message to the next one's first piece
};

struct csp_flow *csp_flows;
pthread_mutex_t csp_flow_lock = PTHREAD_MUTEX_INITIALIZER;
struct csp_bufs csp_flow_bufs = {.head_bytes = sizeof(struct csp_slot), .keep_bytes = KEPT_BYTES};
static struct csp_flow *joined; // see next_joined

void csp_flow_start(void)
{
    size_t n = (size_t)csp_rt.topo->nnodes * (size_t)csp_rt.topo->ng;
    csp_flows = calloc(n, sizeof(*csp_flows));
    CSP_CHECK(csp_flows, "out of memory in MPI_Init");
    for (size_t i = 0; i < n; i++)
        csp_flows[i].last = &csp_flows[i].first;
    csp_am_handle(CSP_AM_SOFT_ACK, csp_flow_on_ack);
}

void csp_flow_stop(void)
{
    size_t n = (size_t)csp_rt.topo->nnodes * (size_t)csp_rt.topo->ng;
    for (size_t i = 0; i < n; i++)
        if (csp_flows[i].train) // the program ended without a flush
            csp_bufs_give(&csp_flow_bufs, &csp_flows[i].train->buf);
    csp_bufs_free(&csp_flow_bufs);
    free(csp_flows);
    csp_flows = NULL;
    joined = NULL;
    csp_detour_close(CSP_BY_TRAIN);
}

// The result comes straight to its place.
static int is_straight(const struct csp_flow_data *data)
{
    return data->result && data->result->info.contig;
}

static int post_receive(int ghost, struct csp_slot *s, const struct csp_flow_data *data)
{
    const struct csp_piece *p = (const struct csp_piece *)s->message;
    int want_ack = p->flags & CSP_PIECE_WANT_ACK;
    size_t bytes = want_ack ? sizeof(s->ack) : p->bytes;
    void *to = want_ack ? (char *)&s->ack : s->reply;
    s->replies = data->result || want_ack;
    if (!data->result) {
        s->reply = NULL;
    } else {
        s->result = *data->result;
        s->first = data->first;
        if (is_straight(data)) {
            to = s->result.addr + data->first;
            s->reply = NULL;
        } else {
            csp_type_hold(&s->result.info); // the program may free the datatype now
        }
    }
    if (!s->replies)
        return MPI_SUCCESS;
    return csp_mpi.Irecv(to, (int)bytes, MPI_BYTE, csp_topo_ghosts(csp_rt.topo)[ghost],
                         CSP_PIECE_REPLY_TAG, csp_rt.ctl, &s->receive);
}

static int post_sends(int ghost, struct csp_slot *s, const char *payload)
{
    const struct csp_piece *p = (const struct csp_piece *)s->message;
    int to = csp_topo_ghosts(csp_rt.topo)[ghost];
    int tag = payload ? csp_piece_head_tag(p->payload_bytes) : CSP_PIECE_TAG;
    s->nsends = payload ? 2 : 1;
    int rc = csp_mpi.Isend(p, (int)s->bytes, MPI_BYTE, to, tag, csp_rt.ctl, s->sends);
    if (rc == MPI_SUCCESS && payload)
        rc = csp_mpi.Isend(payload, (int)p->payload_bytes, MPI_BYTE, to, CSP_PIECE_PAYLOAD_TAG,
                           csp_rt.ctl, s->sends + 1);
    return rc;
}

static void post(int ghost, struct csp_flow *f, struct csp_slot *s,
                 const struct csp_flow_data *data)
{
    struct csp_piece *p = (struct csp_piece *)s->message;
    s->seq = p->seq = ++f->sent;
    if (data->result || data->payload)
        f->held = p->seq;
    if (!data->result && (f->npieces == 0 || f->sent - f->asked >= ACK_EVERY))
        p->flags |= CSP_PIECE_WANT_ACK;
    if (data->result || p->flags & CSP_PIECE_WANT_ACK)
        f->asked = p->seq;
    int rc = post_receive(ghost, s, data);
    if (!s->replies)
        atomic_store_explicit(&f->silent, s->seq, memory_order_relaxed);
    if (rc == MPI_SUCCESS)
        rc = post_sends(ghost, s, data->payload);
    if (rc != MPI_SUCCESS) // the ghost may have a half of it
        csp_am_failed("sending an RMA operation", rc);
    s->next = NULL;
    if (!f->unanswered)
        f->unanswered = s;
    *f->last = s;
    f->last = &s->next;
    f->npieces++;
    f->under_way += s->under_way;
}

static void send(int ghost, struct csp_slot *s, const struct csp_flow_data *data)
{
    if (csp_rt.crowded)
        csp_nudge_issue(ghost);
    post(ghost, &csp_flows[ghost], s, data);
    csp_am_ring(ghost);
}

static void send_train(int ghost, struct csp_flow *f)
{
    struct csp_slot *s = f->train;
    if (!s)
        return;
    f->train = NULL;
    f->begun_ns = f->now_ns;
    send(ghost, s, &(struct csp_flow_data){0});
}

static void send_trains(void)
{
    while (joined) {
        struct csp_flow *f = joined;
        joined = f->next_joined;
        f->joined = 0;
        send_train((int)(f - csp_flows), f);
    }
}

static int has_room(const struct csp_flow *f, size_t bytes)
{
    return f->npieces == 0 || (f->npieces < CREDIT_PIECES && f->under_way + bytes <= CREDIT_BYTES);
}

static void reap(struct csp_flow *f)
{
    CSP_CHECK(csp_flow_reap(f) == MPI_SUCCESS, "the MPI library failed in a message to a ghost");
}

static void ask(int ghost, struct csp_flow *f)
{
    if (f->npieces > 0 && (int32_t)(f->sent - f->asked) > 0)
        csp_flow_ask(ghost, f);
}

static void await_room(int ghost, struct csp_flow *f, size_t bytes)
{
    struct csp_wait wait;
    csp_wait_begin(&wait, "ghost %ld of node %ld to execute what is under way to it",
                   ghost % csp_rt.topo->ng, ghost / csp_rt.topo->ng);
    reap(f);
    while (!has_room(f, bytes)) {
        ask(ghost, f);
        csp_wait_turn(&wait);
        reap(f);
    }
}

static int is_copied_more(size_t limit, size_t bytes)
{
    return csp_flow_bufs.used_bytes + bytes > limit;
}

// Until there may be a copy of `bytes` more. A message fits alone: it is a piece, its layout and a result.
static void await_memory(size_t bytes)
{
    if (CSP_LIKELY(!is_copied_more(COPIED_BYTES, bytes)))
        return;
    int n = csp_rt.topo->nnodes * csp_rt.topo->ng;
    struct csp_wait wait;
    csp_wait_begin(&wait, "ghosts to execute what is under way to them, of which %ld KB are copies",
                   (long)(csp_flow_bufs.used_bytes >> 10));
    send_trains();
    for (;;) {
        for (int i = 0; i < n; i++)
            reap(&csp_flows[i]);
        if (!is_copied_more(COPIED_LESS, bytes))
            return;
        for (int i = 0; i < n; i++)
            ask(i, &csp_flows[i]); // all at once: an answer may take a turn of a shared core
        csp_wait_turn(&wait);
    }
}

// A message of `bytes` bytes, without what is `elsewhere`.
static struct csp_slot *take_slot(int ghost, struct csp_flow *f, size_t bytes, size_t elsewhere,
                                  size_t reply_bytes)
{
    await_room(ghost, f, bytes + elsewhere + reply_bytes);
    await_memory(bytes + reply_bytes);
    struct csp_slot *s = csp_bufs_take(&csp_flow_bufs, bytes + reply_bytes);
    CSP_CHECK(s, "out of memory for an RMA operation of %zu bytes", bytes);
    s->under_way = bytes + elsewhere + reply_bytes;
    s->bytes = bytes;
    s->reply = s->message + bytes;
    return s;
}

static void begin_train(int ghost, struct csp_flow *f)
{
    f->train = take_slot(ghost, f, TRAIN_BYTES, 0, 0);
    f->train->bytes = 0;
    f->begun_ns = f->now_ns;
    if (f->joined)
        return;
    if (!joined)
        csp_detour_open(CSP_BY_TRAIN);
    f->joined = 1;
    f->next_joined = joined;
    joined = f;
}

void csp_rma_depart(void)
{
    pthread_mutex_lock(&csp_flow_lock);
    send_trains();
    csp_detour_close(CSP_BY_TRAIN);
    pthread_mutex_unlock(&csp_flow_lock);
}

// Its pieces are of one window, which hears of it if one fails.
static int takes(const struct csp_slot *train, const struct csp_piece *head, size_t bytes)
{
    return ((const struct csp_piece *)train->message)->win == head->win &&
           csp_piece_step(train->bytes) + bytes <= TRAIN_BYTES;
}

// A place in the train. @return NULL: there is none, since the last message is longer ago.
static struct csp_piece *join(int ghost, struct csp_flow *f, const struct csp_piece *head,
                              size_t bytes)
{
    f->now_ns = csp_clock_ns();
    if (f->train && !takes(f->train, head, bytes))
        send_train(ghost, f);
    if (f->train) {
        f->tail->flags |= CSP_PIECE_MORE;
        f->train->bytes = csp_piece_step(f->train->bytes);
    } else if (f->now_ns - f->begun_ns > BURST_NS) {
        f->begun_ns = f->now_ns;
        return NULL;
    } else {
        begin_train(ghost, f);
    }
    f->tail = (struct csp_piece *)(f->train->message + f->train->bytes);
    f->train->bytes += bytes;
    return f->tail;
}

struct csp_piece *csp_flow_begin(int ghost, const struct csp_piece *head,
                                 const struct csp_flow_data *data)
{
    struct csp_flow *f = &csp_flows[ghost];
    size_t bytes = csp_piece_size(head), elsewhere = data->payload ? head->payload_bytes : 0;
    size_t reply_bytes = data->result ? head->bytes : 0;
    pthread_mutex_lock(&csp_flow_lock); // until csp_flow_send
    if (bytes <= TRAIN_PIECE && !data->payload && !data->result) {
        struct csp_piece *p = join(ghost, f, head, bytes);
        if (p)
            return p;
    }
    send_train(ghost, f);
    bytes -= elsewhere;
    if (is_straight(data)) {
        elsewhere += reply_bytes;
        reply_bytes = 0;
    }
    struct csp_slot *s = take_slot(ghost, f, bytes, elsewhere, reply_bytes);
    return (struct csp_piece *)s->message;
}

void csp_flow_send(int ghost, struct csp_piece *piece, const struct csp_flow_data *data)
{
    struct csp_flow *f = &csp_flows[ghost];
    if (!f->train)
        send(ghost, (struct csp_slot *)((char *)piece - offsetof(struct csp_slot, message)), data);
    else if (f->now_ns - f->begun_ns > BURST_NS ||
             !takes(f->train, f->tail, csp_piece_size(f->tail)))
        send_train(ghost, f);
    pthread_mutex_unlock(&csp_flow_lock);
}

uint32_t csp_flow_last(int ghost, int local)
{
    pthread_mutex_lock(&csp_flow_lock);
    if (!local)
        send_train(ghost, &csp_flows[ghost]);
    uint32_t seq = local ? csp_flows[ghost].held : csp_flows[ghost].sent;
    pthread_mutex_unlock(&csp_flow_lock);
    return seq;
}
