// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Completion and window-wide synchronisation: flush, barrier, fence, sync. MPI-4.1 12.5.1, 12.5.4.
//
// Barrier: users of a node            their leader
//          arrived++                  waits for all of its node
//                                     dissemination among the leaders, log2(nodes) messages
//          wait for `released` <----- released = generation
#include "rma/rma_win.h"

#include "base/clock.h"
#include "rma/rma_time.h"
#include "runtime/am.h"
#include "runtime/node.h"
#include "runtime/wait.h"

// A byte read from the ghost after the operations. When it is here, so are they, as good as always:
// the flush that follows is what MPI promises. Two uses:
// - where the library's flush does not wait for small PUTs, the byte proves that they are there;
// - on crowded nodes, its request can be waited for quietly, which leaves the core to the ghosts.
// The
//   library's own flush would spin on it (0.6 ms and more for an operation that takes 10 us).
static int read_back(struct csp_win *w, int bit)
{
    static char byte; // nobody looks at it
    MPI_Request request;
    int done = 0;
    int rc = csp_mpi.Rget(&byte, 1, MPI_BYTE, w->iwin->ghosts[bit], 0, 1, MPI_BYTE, w->iwin->win,
                          &request);
    struct csp_wait wait;
    csp_wait_begin(&wait, "flush of window %ld by ghost %ld of node %ld", (long)w->gid,
                   bit % csp_rt.topo->ng, bit / csp_rt.topo->ng);
    while (rc == MPI_SUCCESS && !done) {
        rc = csp_mpi.Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            csp_wait_turn(&wait);
    }
    return rc;
}

// @return 1 if the bit is up. It goes down before the flush, except when several threads may call
// MPI: one that comes while another is still flushing must flush too. Then it goes down at the end
// of the epoch.
static int take_bit(_Atomic uint64_t *words, int bit)
{
    uint64_t mask = UINT64_C(1) << (bit % 64);
    if (csp_stats_threads)
        return (atomic_load_explicit(&words[bit / 64], memory_order_acquire) & mask) != 0;
    if (!(atomic_load_explicit(&words[bit / 64], memory_order_relaxed) & mask))
        return 0;
    return (atomic_fetch_and_explicit(&words[bit / 64], ~mask, memory_order_acq_rel) & mask) != 0;
}

static int flush_bit(struct csp_win *w, int bit)
{
    int rc = MPI_SUCCESS;
    take_bit(w->local, bit);
    if (take_bit(w->weak, bit) || csp_rt.crowded)
        rc = read_back(w, bit);
    return rc == MPI_SUCCESS ? csp_mpi.Win_flush(w->iwin->ghosts[bit], w->iwin->win) : rc;
}

static int flush_local_bit(struct csp_win *w, int bit)
{
    int rc = csp_rt.crowded ? read_back(w, bit) : MPI_SUCCESS;
    return rc == MPI_SUCCESS ? csp_mpi.Win_flush_local(w->iwin->ghosts[bit], w->iwin->win) : rc;
}

// All ghosts that have a bit in `words`.
static int flush_each(struct csp_win *w, _Atomic uint64_t *words,
                      int (*flush)(struct csp_win *, int))
{
    int rc = MPI_SUCCESS;
    for (int i = 0; i < w->used_words; i++) {
        if (atomic_load_explicit(&words[i], memory_order_relaxed) == 0)
            continue;
        uint64_t bits = atomic_load_explicit(&words[i], memory_order_acquire);
        for (; bits && rc == MPI_SUCCESS; bits &= bits - 1) {
            int bit = i * 64 + __builtin_ctzll(bits);
            rc = take_bit(words, bit) ? flush(w, bit) : MPI_SUCCESS;
        }
    }
    return rc;
}

int csp_win_flush_used(struct csp_win *w)
{
    int rc = flush_each(w, w->used, flush_bit);
    atomic_thread_fence(memory_order_seq_cst); // direct stores before what follows
    return csp_win_rc(w, rc);
}

int csp_win_flush_end(struct csp_win *w)
{
    int rc = csp_win_flush_used(w);
    for (int i = 0; csp_stats_threads && i < 3 * w->used_words; i++) // used, local, weak
        atomic_store_explicit(&w->used[i], 0, memory_order_relaxed);
    return rc;
}

int csp_win_flush_target(struct csp_win *w, int target)
{
    int bit = w->peers[target].ghost_bit;
    int rc = take_bit(w->used, bit) ? flush_bit(w, bit) : MPI_SUCCESS;
    atomic_thread_fence(memory_order_seq_cst);
    return csp_win_rc(w, rc);
}

// All leaders are here: log2 rounds, in round r a message to the leader 2^r further.
static void disseminate(struct csp_win *w, uint32_t gen)
{
    struct csp_members *m = w->members;
    for (int r = 0, step = 1; step < m->nnodes; r++, step *= 2) {
        int to = m->leaders[(m->my_node_idx + step) % m->nnodes];
        struct csp_am msg = {.type = CSP_AM_BARRIER, .gid = w->gid, .a = r};
        csp_am_send(m->wrank[to], &msg);
        int from = m->leaders[(m->my_node_idx - step + m->nnodes) % m->nnodes];
        struct csp_wait wait;
        csp_wait_begin(&wait, "barrier of window %ld: rank %ld (round %ld) to arrive", (long)w->gid,
                       from, r);
        while ((int32_t)(atomic_load_explicit(&w->barrier_in[r], memory_order_acquire) - gen) < 0)
            csp_wait_turn(&wait);
    }
}

void csp_win_barrier(struct csp_win *w)
{
    struct csp_members *m = w->members;
    uint32_t gen = ++w->barrier_gen;
    struct csp_wait wait;
    if (m->leaders[m->my_node_idx] != m->rank) {
        atomic_fetch_add_explicit(&w->node->arrived, 1, memory_order_acq_rel);
        csp_wait_begin(&wait, "barrier of window %ld: leader of this node (rank %ld)", (long)w->gid,
                       m->leaders[m->my_node_idx]);
        while ((int32_t)(atomic_load_explicit(&w->node->released, memory_order_acquire) - gen) < 0)
            csp_wait_turn(&wait);
        return;
    }
    uint32_t all = gen * (uint32_t)(m->nlocal - 1);
    csp_wait_begin(&wait, "barrier of window %ld: the other users of this node", (long)w->gid);
    while (atomic_load_explicit(&w->node->arrived, memory_order_acquire) != all)
        csp_wait_turn(&wait);
    disseminate(w, gen);
    atomic_store_explicit(&w->node->released, gen, memory_order_release);
}

int csp_rma_win_fence(struct csp_win *w, int assertion)
{
    w->fence_open = !(assertion & MPI_MODE_NOSUCCEED);
    if ((assertion & MPI_MODE_NOPRECEDE) && (assertion & MPI_MODE_NOSUCCEED))
        return MPI_SUCCESS;
    uint64_t begin = csp_clock_ns();
    int rc = (assertion & MPI_MODE_NOPRECEDE) ? MPI_SUCCESS : csp_win_flush_end(w);
    csp_win_barrier(w);
    csp_time_waited(CSP_WAIT_FENCE, begin);
    return rc;
}

static int flush_timed(struct csp_win *w, int rank, int (*flush)(struct csp_win *, int))
{
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    if (rank < 0 || rank >= w->n)
        return csp_win_raise(w, MPI_ERR_RANK);
    if (!csp_win_passive(w, rank))
        return csp_win_raise(w, MPI_ERR_RMA_SYNC);
    uint64_t begin = csp_clock_ns();
    int rc = flush(w, rank);
    csp_time_waited(CSP_WAIT_FLUSH, begin);
    return rc;
}

int csp_rma_win_flush(struct csp_win *w, int rank)
{
    return flush_timed(w, rank, csp_win_flush_target);
}

static int flush_all_timed(struct csp_win *w, int (*flush)(struct csp_win *))
{
    if (!atomic_load_explicit(&w->locked_all, memory_order_relaxed) && !w->held)
        return csp_win_raise(w, MPI_ERR_RMA_SYNC);
    uint64_t begin = csp_clock_ns();
    int rc = flush(w);
    csp_time_waited(CSP_WAIT_FLUSH, begin);
    return rc;
}

int csp_rma_win_flush_all(struct csp_win *w)
{
    return flush_all_timed(w, csp_win_flush_used);
}

static int flush_local_target(struct csp_win *w, int target)
{
    int bit = w->peers[target].ghost_bit;
    return csp_win_rc(w, take_bit(w->local, bit) ? flush_local_bit(w, bit) : MPI_SUCCESS);
}

int csp_rma_win_flush_local(struct csp_win *w, int rank)
{
    return flush_timed(w, rank, flush_local_target);
}

static int flush_local_used(struct csp_win *w)
{
    return csp_win_rc(w, flush_each(w, w->local, flush_local_bit));
}

int csp_rma_win_flush_local_all(struct csp_win *w)
{
    return flush_all_timed(w, flush_local_used);
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
