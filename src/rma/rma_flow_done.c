// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What comes back from ghosts, and waits for it.
#include "base/clock.h"
#include "rma/rma_early.h"
#include "rma/rma_flow_impl.h"
#include "rma/rma_nudge.h"
#include "runtime/wait.h"

enum { LOOKS = 4 }; // at a reply, for one at all that may come

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

void csp_flow_on_ack(const struct csp_am *msg)
{
    if (!csp_flows)
        return; // the program ended with operations under way
    int ghost = ghost_of_wrank(msg->src);
    note_error(ghost, msg->gid, msg->b);
    advance(&csp_flows[ghost].told, (uint32_t)msg->a);
    advance(&csp_flows[ghost].done, (uint32_t)msg->a);
}

// A reply is here; an empty one tells that the operation failed.
static int deliver(struct csp_flow *f, struct csp_slot *s, const MPI_Status *status)
{
    const struct csp_piece *p = (const struct csp_piece *)s->message;
    int bytes = 0, ghost = (int)(f - csp_flows), rc = csp_mpi.Get_count(status, MPI_BYTE, &bytes);
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
static int take_replies(struct csp_flow *f)
{
    while (f->unanswered) {
        struct csp_slot *s = f->unanswered;
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
static int has_left(struct csp_slot *s, int *left)
{
    int rc = MPI_SUCCESS;
    *left = 1;
    for (int i = 0; i < s->nsends && *left && rc == MPI_SUCCESS; i++)
        rc = csp_mpi.Test(&s->sends[i], left, MPI_STATUS_IGNORE);
    return rc;
}

// Takes back the buffers at the head of the flow that are done with. Caller holds the lock.
int csp_flow_reap(struct csp_flow *f)
{
    int rc = take_replies(f);
    while (rc == MPI_SUCCESS && f->first && f->first != f->unanswered) {
        struct csp_slot *s = f->first;
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
        csp_bufs_give(&csp_flow_bufs, &s->buf);
    }
    return rc;
}

void csp_flow_ask(int ghost, struct csp_flow *f)
{
    struct csp_am msg = {.type = CSP_AM_SOFT_ASK, .a = (int32_t)f->sent};
    f->asked = f->sent;
    csp_am_send(csp_topo_ghosts(csp_rt.topo)[ghost], &msg);
}

// The result, if there is one, is here, and the payload has left.
static int is_released(struct csp_slot *s, int answered, int *rc)
{
    const struct csp_piece *p = (const struct csp_piece *)s->message;
    if (!answered && s->replies && !(p->flags & CSP_PIECE_WANT_ACK))
        return 0;
    int left = 1;
    if (s->nsends > 1)
        *rc = has_left(s, &left);
    return left;
}

// The program may touch all that pieces up to number `seq` held. Caller holds the lock.
static int are_released(const struct csp_flow *f, uint32_t seq, int *rc)
{
    int answered = 1;
    for (struct csp_slot *s = f->first; s && (int32_t)(seq - s->seq) >= 0; s = s->next) {
        answered = answered && s != f->unanswered;
        if (!is_released(s, answered, rc) || *rc != MPI_SUCCESS)
            return 0;
    }
    return 1;
}

// They are executed, and their replies here. Caller holds the lock.
static int are_done(int ghost, struct csp_flow *f, uint32_t seq)
{
    int done = (int32_t)(atomic_load_explicit(&f->done, memory_order_acquire) - seq) >= 0;
    if (!done && (int32_t)(seq - f->asked) > 0)
        csp_flow_ask(ghost, f);
    return done && (!f->first || (int32_t)(f->first->seq - seq) > 0);
}

int csp_flow_look(int ghost, uint32_t seq, int local, int *rc)
{
    struct csp_flow *f = &csp_flows[ghost];
    pthread_mutex_lock(&csp_flow_lock);
    *rc = csp_flow_reap(f);
    int done = *rc == MPI_SUCCESS && (local ? are_released(f, seq, rc) : are_done(ghost, f, seq));
    pthread_mutex_unlock(&csp_flow_lock);
    return done || *rc != MPI_SUCCESS;
}

// What is done may be known from a later reply, and the message that says that one before it failed, which was sent first, be
// here and not looked at.
static void hear_errors(struct csp_flow *f)
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
    int all = csp_rt.crowded &&
              (int32_t)(atomic_load_explicit(&csp_flows[ghost].done, memory_order_acquire) -
                        csp_flow_last(ghost, 0)) >= 0;
    if (all)
        csp_nudge_flushed(ghost, csp_clock_ns());
    hear_errors(&csp_flows[ghost]);
    int error = w ? take_error(w, ghost) : MPI_SUCCESS;
    return rc != MPI_SUCCESS ? rc : error;
}

// A look at its receive lets the MPI library make progress, as a turn of the wait does.
static int awaits_reply(int ghost)
{
    pthread_mutex_lock(&csp_flow_lock);
    int yes = csp_flows[ghost].unanswered && csp_flows[ghost].unanswered->replies;
    pthread_mutex_unlock(&csp_flow_lock);
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
