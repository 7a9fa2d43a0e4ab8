// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Window-wide synchronisation: barrier, fence, sync. MPI-4.1 12.5.1.
//
// Barrier: users of a node            their leader
//          arrived++                  waits for all of its node
//                                     dissemination among the leaders, log2(nodes) messages
//          wait for `released` <----- released = generation
#include "rma/rma_win.h"

#include "adapt/rounds.h"
#include "rma/rma_async.h"
#include "rma/rma_check.h"
#include "rma/rma_time.h"
#include "runtime/am.h"
#include "runtime/wait.h"

// All leaders are here: log2 rounds, in round r a message to the leader 2^r further.
static void disseminate(struct csp_win *w, uint32_t gen)
{
    struct csp_members *m = w->members;
    for (int r = 0; r < csp_rounds(m->nnodes); r++) {
        int to = m->leaders[csp_rounds_to(m->my_node_idx, m->nnodes, r)];
        uint32_t votes = atomic_load_explicit(&w->node->votes[gen % 2], memory_order_relaxed);
        struct csp_am msg = {
            .type = CSP_AM_BARRIER, .gid = w->gid, .a = r, .b = (int32_t)votes, .off = gen % 2};
        csp_am_send(m->wrank[to], &msg);
        int from = m->leaders[csp_rounds_from(m->my_node_idx, m->nnodes, r)];
        struct csp_wait wait;
        csp_wait_begin(&wait, "barrier of window %ld: rank %ld (round %ld) to arrive", (long)w->gid,
                       from, r);
        while ((int32_t)(atomic_load_explicit(&w->barrier_in[r], memory_order_acquire) - gen) < 0)
            csp_wait_turn(&wait);
    }
}

// Votes of one barrier and of the next meet in different words. The leader clears that of the next
// one before its first message: nobody elsewhere can be further.
unsigned csp_win_vote(struct csp_win *w, unsigned mine)
{
    struct csp_members *m = w->members;
    uint32_t gen = ++w->barrier_gen;
    _Atomic uint32_t *votes = &w->node->votes[gen % 2];
    struct csp_wait wait;
    if (mine)
        atomic_fetch_or_explicit(votes, mine, memory_order_relaxed);
    if (!csp_members_lead(m)) {
        atomic_fetch_add_explicit(&w->node->arrived, 1, memory_order_acq_rel);
        csp_wait_begin(&wait, "barrier of window %ld: leader of this node (rank %ld)", (long)w->gid,
                       m->leaders[m->my_node_idx]);
        while ((int32_t)(atomic_load_explicit(&w->node->released, memory_order_acquire) - gen) < 0)
            csp_wait_turn(&wait);
        return atomic_load_explicit(votes, memory_order_relaxed);
    }
    uint32_t all = gen * (uint32_t)(m->nlocal - 1);
    csp_wait_begin(&wait, "barrier of window %ld: the other users of this node", (long)w->gid);
    while (atomic_load_explicit(&w->node->arrived, memory_order_acquire) != all)
        csp_wait_turn(&wait);
    atomic_store_explicit(&w->node->votes[(gen + 1) % 2], 0, memory_order_relaxed);
    disseminate(w, gen);
    unsigned all_votes = atomic_load_explicit(votes, memory_order_relaxed);
    atomic_store_explicit(&w->node->released, gen, memory_order_release);
    return all_votes;
}

void csp_win_barrier(struct csp_win *w)
{
    csp_win_vote(w, 0);
}

int csp_win_agree(struct csp_win *w, int yes)
{
    return csp_win_vote(w, yes ? 0 : 1) == 0;
}

int csp_rma_win_fence(struct csp_win *w, int assertion)
{
    int rc = csp_check_assert(assertion, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE |
                                             MPI_MODE_NOSUCCEED);
    if (csp_hints_exclude(&w->hints, CSP_EPOCH_FENCE) || csp_win_locked(w) || w->access.active ||
        w->expose.active)
        rc = MPI_ERR_RMA_SYNC;
    if (rc != MPI_SUCCESS)
        return csp_win_raise(w, rc);
    atomic_store_explicit(&w->fence_open, !(assertion & MPI_MODE_NOSUCCEED), memory_order_relaxed);
    if ((assertion & MPI_MODE_NOPRECEDE) && (assertion & MPI_MODE_NOSUCCEED))
        return MPI_SUCCESS;
    uint64_t begin = csp_time_wait();
    rc = (assertion & MPI_MODE_NOPRECEDE) ? MPI_SUCCESS : csp_win_flush_end(w);
    int agreed = csp_async_fence(w);
    csp_time_waited(CSP_WAIT_FENCE, begin);
    return rc == MPI_SUCCESS ? csp_win_rc(w, agreed) : rc;
}

// Users and ghosts share the memory itself: ordering is all that is needed. Progress, as the MPI
// library gives it.
int csp_rma_win_sync(struct csp_win *w)
{
    (void)w;
    atomic_thread_fence(memory_order_seq_cst);
    csp_am_poll(1);
    return MPI_SUCCESS;
}
