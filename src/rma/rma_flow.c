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
#include "rma/rma_flow.h"

#include <pthread.h>
#include <stdlib.h>
#include "base/bufs.h"
#include "base/clock.h"
#include "rma/rma_early.h"
#include "rma/rma_nudge.h"
#include "runtime/am.h"
#include "runtime/detours.h"
#include "runtime/wait.h"

enum {
    CREDIT_PIECES = 64,                 // under way to one ghost, at most
    CREDIT_BYTES = 5 * CSP_PIECE_BYTES, // and this, both ways: two with results, so that one
                                        // travels while the other is executed
    ACK_EVERY = 16,                     // pieces
    KEPT_BYTES = 4 << 20,               // of free buffers
    LOOK = 16,                          // messages
    LOOKS = 4,                          // at a reply, for one at all that may come
    TRAIN_BYTES = 4096,                 // so that the ghost executes it when it finds it
    TRAIN_PIECE = 512,                  // bytes of a piece that is worth it
    BURST_NS = 20000,                   // from one message to the next one's first piece
};

struct slot {
    struct csp_buf buf;
    struct slot *next;
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

struct flow {
    _Atomic uint32_t done;   // pieces that the ghost told us it executed; by any thread
    _Atomic uint32_t silent; // the last one without a reply: if it failed, a message says so,
    _Atomic uint32_t told;   // and up to this one it did
    uint32_t sent, asked,
        held; // last piece sent, last with an acknowledgement, last that holds memory of the program
    size_t under_way;
    uint32_t npieces;
    struct slot *first, **last;
    struct slot *unanswered;  // the first whose reply, if it has one, is not here yet
    struct slot *train;       // not yet sent
    struct csp_piece *tail;   // its last piece
    uint64_t begun_ns;        // the train, or else the last message of one small piece
    uint64_t now_ns;          // the last small piece
    struct flow *next_joined; // of those that had a train since csp_rma_depart
    int joined;
};

static struct flow *flows;                               // [node * ng + gidx]
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // all of them but what is atomic
static struct csp_bufs bufs = {.head_bytes = sizeof(struct slot), .keep_bytes = KEPT_BYTES};
static struct flow *joined; // see next_joined
static int trains;          // that have not left

static int ghost_of_wrank(int wrank)
{
    const struct csp_topo *t = csp_rt.topo;
    return csp_topo_node_of_wrank(t)[wrank] * t->ng + csp_topo_lrank_of_wrank(t)[wrank];
}

// Release: an error that was noted before is seen by who acquires the number.
static void advance(_Atomic uint32_t *number, uint32_t seq)
{
    uint32_t now = atomic_load_explicit(number, memory_order_relaxed);
    while ((int32_t)(seq - now) > 0 &&
           !atomic_compare_exchange_weak_explicit(number, &now, seq, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

// For the next flush of that window by the ghost. A window that is gone was flushed.
static void note_error(int ghost, uint64_t gid, int error)
{
    if (error == MPI_SUCCESS)
        return;
    csp_early_lock();
    struct csp_win *w = csp_win_by_gid(gid);
    if (w) {
        atomic_store_explicit(&w->soft_error, error, memory_order_relaxed);
        csp_win_mark(w->failed, ghost);
    }
    csp_early_unlock();
}

static int take_error(struct csp_win *w, int ghost)
{
    uint64_t mask = UINT64_C(1) << (ghost % 64);
    if (!csp_win_marked(w->failed, ghost) ||
        !(atomic_fetch_and_explicit(&w->failed[ghost / 64], ~mask, memory_order_acquire) & mask))
        return MPI_SUCCESS;
    return atomic_load_explicit(&w->soft_error, memory_order_relaxed);
}

static void on_ack(const struct csp_am *msg)
{
    if (!flows)
        return; // the program ended with operations under way
    int ghost = ghost_of_wrank(msg->src);
    note_error(ghost, msg->gid, msg->b);
    advance(&flows[ghost].told, (uint32_t)msg->a);
    advance(&flows[ghost].done, (uint32_t)msg->a);
}

void csp_flow_start(void)
{
    size_t n = (size_t)csp_rt.topo->nnodes * (size_t)csp_rt.topo->ng;
    flows = calloc(n, sizeof(*flows));
    CSP_CHECK(flows, "out of memory in MPI_Init");
    for (size_t i = 0; i < n; i++)
        flows[i].last = &flows[i].first;
    csp_am_handle(CSP_AM_SOFT_ACK, on_ack);
}

void csp_flow_stop(void)
{
    size_t n = (size_t)csp_rt.topo->nnodes * (size_t)csp_rt.topo->ng;
    for (size_t i = 0; i < n; i++)
        if (flows[i].train) // the program ended without a flush
            csp_bufs_give(&bufs, &flows[i].train->buf);
    csp_bufs_free(&bufs);
    free(flows);
    flows = NULL;
    joined = NULL;
    trains = 0;
    csp_detour_close(CSP_BY_TRAIN);
}

// A reply is here; an empty one tells that the operation failed.
static int deliver(struct flow *f, struct slot *s, const MPI_Status *status)
{
    const struct csp_piece *p = (const struct csp_piece *)s->message;
    int bytes = 0, ghost = (int)(f - flows), rc = csp_mpi.Get_count(status, MPI_BYTE, &bytes);
    if (p->flags & CSP_PIECE_WANT_ACK)
        note_error(ghost, p->win, s->ack);
    else if (rc == MPI_SUCCESS && bytes == 0)
        note_error(ghost, p->win, MPI_ERR_RMA_RANGE);
    else if (rc == MPI_SUCCESS && s->reply)
        csp_side_unpack(&s->result, s->first, s->reply, p->bytes);
    if (s->reply)
        csp_type_drop(&s->result.info);
    advance(&f->done, s->seq);
    return rc;
}

// Replies come in the order of the pieces. Each says that all pieces up to its own are executed.
static int take_replies(struct flow *f)
{
    while (f->unanswered) {
        struct slot *s = f->unanswered;
        MPI_Status status;
        int here = 1, rc = MPI_SUCCESS;
        if (s->replies) {
            rc = csp_mpi.Test(&s->receive, &here, &status);
            if (rc == MPI_SUCCESS && here)
                rc = deliver(f, s, &status);
        }
        if (rc != MPI_SUCCESS || !here)
            return rc;
        f->unanswered = s->next;
    }
    return MPI_SUCCESS;
}

// Whether the messages of a piece are out.
static int has_left(struct slot *s, int *left)
{
    int rc = MPI_SUCCESS;
    *left = 1;
    for (int i = 0; i < s->nsends && *left && rc == MPI_SUCCESS; i++)
        rc = csp_mpi.Test(&s->sends[i], left, MPI_STATUS_IGNORE);
    return rc;
}

// Takes back the buffers at the head of the flow that are done with. Caller holds `lock`.
static int reap(struct flow *f)
{
    int rc = take_replies(f);
    while (rc == MPI_SUCCESS && f->first && f->first != f->unanswered) {
        struct slot *s = f->first;
        int left = 0;
        rc = has_left(s, &left);
        if (rc != MPI_SUCCESS || !left ||
            (int32_t)(atomic_load_explicit(&f->done, memory_order_acquire) - s->seq) < 0)
            return rc;
        f->first = s->next;
        if (!f->first)
            f->last = &f->first;
        f->under_way -= s->under_way;
        f->npieces--;
        csp_bufs_give(&bufs, &s->buf);
    }
    return rc;
}

static void ask(int ghost, struct flow *f)
{
    struct csp_am msg = {.type = CSP_AM_SOFT_ASK, .a = (int32_t)f->sent};
    f->asked = f->sent;
    csp_am_send(csp_topo_ghosts(csp_rt.topo)[ghost], &msg);
}

static int has_room(const struct flow *f, size_t bytes)
{
    return f->npieces == 0 || (f->npieces < CREDIT_PIECES && f->under_way + bytes <= CREDIT_BYTES);
}

static void await_room(int ghost, struct flow *f, size_t bytes)
{
    struct csp_wait wait;
    csp_wait_begin(&wait, "ghost %ld of node %ld to execute what is under way to it",
                   ghost % csp_rt.topo->ng, ghost / csp_rt.topo->ng);
    CSP_CHECK(reap(f) == MPI_SUCCESS, "the MPI library failed in a message to a ghost");
    while (!has_room(f, bytes)) {
        if ((int32_t)(f->sent - f->asked) > 0)
            ask(ghost, f);
        csp_wait_turn(&wait);
        CSP_CHECK(reap(f) == MPI_SUCCESS, "the MPI library failed in a message to a ghost");
    }
}

// A message of `bytes` bytes, without what is `elsewhere`.
static struct slot *take_slot(int ghost, struct flow *f, size_t bytes, size_t elsewhere,
                              size_t reply_bytes)
{
    await_room(ghost, f, bytes + elsewhere + reply_bytes);
    struct slot *s = csp_bufs_take(&bufs, bytes + reply_bytes);
    CSP_CHECK(s, "out of memory for an RMA operation of %zu bytes", bytes);
    s->under_way = bytes + elsewhere + reply_bytes;
    s->bytes = bytes;
    s->reply = s->message + bytes;
    return s;
}

static int post_receive(int ghost, struct slot *s, const struct csp_flow_data *data)
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
        if (s->result.info.contig) { // straight to its place
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

static int post_sends(int ghost, struct slot *s, const char *payload)
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

static void post(int ghost, struct flow *f, struct slot *s, const struct csp_flow_data *data)
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

static void send(int ghost, struct slot *s, const struct csp_flow_data *data)
{
    if (csp_rt.crowded)
        csp_nudge_issue(ghost);
    post(ghost, &flows[ghost], s, data);
    csp_am_ring(ghost);
}

static void send_train(int ghost, struct flow *f)
{
    struct slot *s = f->train;
    if (!s)
        return;
    f->train = NULL;
    f->begun_ns = f->now_ns;
    if (--trains == 0)
        csp_detour_close(CSP_BY_TRAIN);
    send(ghost, s, &(struct csp_flow_data){0});
}

static void begin_train(int ghost, struct flow *f)
{
    f->train = take_slot(ghost, f, TRAIN_BYTES, 0, 0);
    f->train->bytes = 0;
    f->begun_ns = f->now_ns;
    if (trains++ == 0)
        csp_detour_open(CSP_BY_TRAIN);
    if (f->joined)
        return;
    f->joined = 1;
    f->next_joined = joined;
    joined = f;
}

void csp_rma_depart(void)
{
    pthread_mutex_lock(&lock);
    while (joined) {
        struct flow *f = joined;
        joined = f->next_joined;
        f->joined = 0;
        send_train((int)(f - flows), f);
    }
    pthread_mutex_unlock(&lock);
}

// Its pieces are of one window, which hears of it if one fails.
static int takes(const struct slot *train, const struct csp_piece *head, size_t bytes)
{
    return ((const struct csp_piece *)train->message)->win == head->win &&
           csp_piece_step(train->bytes) + bytes <= TRAIN_BYTES;
}

// A place in the train. @return NULL: there is none, since the last message is longer ago.
static struct csp_piece *join(int ghost, struct flow *f, const struct csp_piece *head, size_t bytes)
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

struct csp_piece *csp_flow_begin(int ghost, const struct csp_piece *head, int apart)
{
    struct flow *f = &flows[ghost];
    size_t bytes = csp_piece_size(head), elsewhere = apart ? head->payload_bytes : 0;
    int replies = csp_piece_replies(head->kind);
    pthread_mutex_lock(&lock); // until csp_flow_send
    if (bytes <= TRAIN_PIECE && !apart && !replies) {
        struct csp_piece *p = join(ghost, f, head, bytes);
        if (p)
            return p;
    }
    send_train(ghost, f);
    struct slot *s = take_slot(ghost, f, bytes - elsewhere, elsewhere, replies ? head->bytes : 0);
    return (struct csp_piece *)s->message;
}

void csp_flow_send(int ghost, struct csp_piece *piece, const struct csp_flow_data *data)
{
    struct flow *f = &flows[ghost];
    if (!f->train)
        send(ghost, (struct slot *)((char *)piece - offsetof(struct slot, message)), data);
    else if (f->now_ns - f->begun_ns > BURST_NS ||
             !takes(f->train, f->tail, csp_piece_size(f->tail)))
        send_train(ghost, f);
    pthread_mutex_unlock(&lock);
}

uint32_t csp_flow_last(int ghost, int local)
{
    pthread_mutex_lock(&lock);
    if (!local)
        send_train(ghost, &flows[ghost]);
    uint32_t seq = local ? flows[ghost].held : flows[ghost].sent;
    pthread_mutex_unlock(&lock);
    return seq;
}

// The result, if there is one, is here, and the payload has left.
static int is_released(struct slot *s, int answered, int *rc)
{
    const struct csp_piece *p = (const struct csp_piece *)s->message;
    if (!answered && s->replies && !(p->flags & CSP_PIECE_WANT_ACK))
        return 0;
    int left = 1;
    if (s->nsends > 1)
        *rc = has_left(s, &left);
    return left;
}

// The program may touch all that pieces up to number `seq` held. Caller holds `lock`.
static int are_released(const struct flow *f, uint32_t seq, int *rc)
{
    int answered = 1;
    for (struct slot *s = f->first; s && (int32_t)(seq - s->seq) >= 0; s = s->next) {
        answered = answered && s != f->unanswered;
        if (!is_released(s, answered, rc) || *rc != MPI_SUCCESS)
            return 0;
    }
    return 1;
}

// They are executed, and their replies here. Caller holds `lock`.
static int are_done(int ghost, struct flow *f, uint32_t seq)
{
    int done = (int32_t)(atomic_load_explicit(&f->done, memory_order_acquire) - seq) >= 0;
    if (!done && (int32_t)(seq - f->asked) > 0)
        ask(ghost, f);
    return done && (!f->first || (int32_t)(f->first->seq - seq) > 0);
}

int csp_flow_look(int ghost, uint32_t seq, int local, int *rc)
{
    struct flow *f = &flows[ghost];
    pthread_mutex_lock(&lock);
    *rc = reap(f);
    int done = *rc == MPI_SUCCESS && (local ? are_released(f, seq, rc) : are_done(ghost, f, seq));
    pthread_mutex_unlock(&lock);
    return done || *rc != MPI_SUCCESS;
}

// What is done may be known from a later reply, and the message that says that one before it failed, which was sent first, be
// here and not looked at.
static void hear_errors(struct flow *f)
{
    uint32_t silent = atomic_load_explicit(&f->silent, memory_order_relaxed);
    uint32_t done = atomic_load_explicit(&f->done, memory_order_acquire);
    if ((int32_t)(silent - atomic_load_explicit(&f->told, memory_order_relaxed)) <= 0)
        return;
    csp_am_poll_surely();
    if ((int32_t)(done - silent) >= 0)
        advance(&f->told, silent);
}

int csp_flow_end(struct csp_win *w, int ghost, int rc)
{
    int all =
        csp_rt.crowded && (int32_t)(atomic_load_explicit(&flows[ghost].done, memory_order_acquire) -
                                    csp_flow_last(ghost, 0)) >= 0;
    if (all)
        csp_nudge_flushed(ghost, csp_clock_ns());
    hear_errors(&flows[ghost]);
    int error = w ? take_error(w, ghost) : MPI_SUCCESS;
    return rc != MPI_SUCCESS ? rc : error;
}

// A look at its receive lets the MPI library make progress, as a turn of the wait does.
static int awaits_reply(int ghost)
{
    pthread_mutex_lock(&lock);
    int yes = flows[ghost].unanswered && flows[ghost].unanswered->replies;
    pthread_mutex_unlock(&lock);
    return yes;
}

int csp_flow_flush(struct csp_win *w, int ghost, int local)
{
    struct csp_wait wait;
    int rc = MPI_SUCCESS;
    uint32_t seq = csp_flow_last(ghost, local);
    csp_wait_begin(&wait, "flush of window %ld by ghost %ld of node %ld (software route)",
                   (long)w->gid, ghost % csp_rt.topo->ng, ghost / csp_rt.topo->ng);
    for (int n = 1; !csp_flow_look(ghost, seq, local, &rc); n++)
        if (n % LOOKS == 0 || !awaits_reply(ghost))
            csp_wait_turn(&wait);
    return csp_flow_end(w, ghost, rc);
}
