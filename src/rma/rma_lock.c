// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Passive target locks, by the lock server in the target node's ghost. MPI-4.1 12.5.3.
//
//   origin                            ghost of the target's node (src/ghost/ghost_lock.c)
//   lock:   LOCK(target, type) -----> FIFO
//           wait  <------------------ GRANT
//   unlock: flush, UNLOCK ----------> next in the queue
//
// lock_all takes the shared lock of a node when the node is first used, its own node's at once:
// that one by a counter in shared memory, without a message, unless an exclusive lock is wanted
// there. All these have the stamp of when the lock_all began.
#include "rma/rma_win.h"

#include <stdlib.h>
#include "rma/rma_check.h"
#include "rma/rma_time.h"
#include "runtime/am.h"
#include "runtime/node.h"
#include "runtime/wait.h"

struct csp_lock_held {
    struct csp_lock_held *next;
    int target, type, nocheck;
};

enum { ALL_TARGETS = -1 };

static int server_of(const struct csp_win *w, int node)
{
    int ng = csp_rt.topo->ng;
    return csp_topo_ghosts(csp_rt.topo)[node * ng + (int)(w->gid % (uint64_t)ng)];
}

static void lock_message(struct csp_win *w, enum csp_am_type type, int node, int target,
                         int lock_type, _Atomic uint64_t *granted)
{
    int exclusive = lock_type == MPI_LOCK_EXCLUSIVE;
    struct csp_am msg = {.type = type,
                         .gid = w->gid,
                         .a = target,
                         .b = exclusive ? CSP_LOCK_EXCLUSIVE : CSP_LOCK_SHARED,
                         .cookie = (uintptr_t)granted,
                         .off = w->node_offs[node],
                         .spare = {w->lockall_stamp}};
    csp_am_send(server_of(w, node), &msg);
}

static void acquire(struct csp_win *w, int node, int target, int lock_type)
{
    _Atomic uint64_t granted = 0;
    struct csp_wait wait;
    uint64_t begin = csp_time_wait(), stamp;
    lock_message(w, CSP_AM_LOCK, node, target, lock_type, &granted);
    csp_wait_begin(&wait, "lock of rank %ld (-1: all) from the lock server of node %ld, window %ld",
                   target, node, (long)w->gid);
    while (!(stamp = atomic_load_explicit(&granted, memory_order_acquire)))
        csp_wait_turn(&wait);
    csp_lock_clock_raise(w->node, stamp - 1);
    csp_time_waited(CSP_WAIT_LOCK, begin);
}

static struct csp_lock_held **find_held(struct csp_win *w, int target)
{
    struct csp_lock_held **at = &w->held;
    while (*at && (*at)->target != target)
        at = &(*at)->next;
    return at;
}

int csp_win_holds(struct csp_win *w, int target)
{
    pthread_mutex_lock(&w->mutex);
    int held = *find_held(w, target) != NULL;
    pthread_mutex_unlock(&w->mutex);
    return held;
}

// Assertion, hints, and no other kind of access epoch.
static int may_lock(const struct csp_win *w, enum csp_epoch_kind kind, int assertion)
{
    if (csp_hints_exclude(&w->hints, kind) || w->access.active)
        return MPI_ERR_RMA_SYNC;
    return csp_check_assert(assertion, MPI_MODE_NOCHECK);
}

int csp_rma_win_lock(struct csp_win *w, int lock_type, int rank, int assertion)
{
    if (lock_type != MPI_LOCK_SHARED && lock_type != MPI_LOCK_EXCLUSIVE)
        return csp_win_raise(w, MPI_ERR_LOCKTYPE);
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    int rc = rank < 0 || rank >= w->n ? MPI_ERR_RANK : may_lock(w, CSP_EPOCH_LOCK, assertion);
    if (rc != MPI_SUCCESS)
        return csp_win_raise(w, rc);
    struct csp_lock_held *h = malloc(sizeof(*h));
    CSP_CHECK(h, "out of memory for a lock");
    *h = (struct csp_lock_held){
        .target = rank, .type = lock_type, .nocheck = (assertion & MPI_MODE_NOCHECK) != 0};
    pthread_mutex_lock(&w->mutex);
    int twice = *find_held(w, rank) != NULL || atomic_load(&w->locked_all);
    if (!twice) {
        h->next = w->held;
        w->held = h;
        atomic_fetch_add_explicit(&w->nheld, 1, memory_order_relaxed);
        atomic_store_explicit(&w->held_last, rank + 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&w->mutex);
    if (twice) {
        free(h);
        return csp_win_raise(w, MPI_ERR_RMA_SYNC);
    }
    csp_win_fence_over(w);
    if (!h->nocheck)
        acquire(w, w->peers[rank].node, rank, lock_type);
    return MPI_SUCCESS;
}

int csp_rma_win_unlock(struct csp_win *w, int rank)
{
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    pthread_mutex_lock(&w->mutex);
    struct csp_lock_held **at = find_held(w, rank), *h = *at;
    if (h) {
        *at = h->next;
        atomic_fetch_sub_explicit(&w->nheld, 1, memory_order_relaxed);
    }
    if (h && atomic_load_explicit(&w->held_last, memory_order_relaxed) == rank + 1)
        atomic_store_explicit(&w->held_last, 0, memory_order_relaxed);
    pthread_mutex_unlock(&w->mutex);
    if (!h)
        return csp_win_raise(w, rank < 0 || rank >= w->n ? MPI_ERR_RANK : MPI_ERR_RMA_SYNC);
    uint64_t begin = csp_time_wait();
    int rc = csp_win_flush_target(w, rank);
    csp_time_waited(CSP_WAIT_FLUSH, begin);
    if (h->nocheck)
        csp_am_poll_at_times();
    else
        lock_message(w, CSP_AM_UNLOCK, w->peers[rank].node, rank, h->type, NULL);
    free(h);
    return rc;
}

// @return 1 if counted; 0: an exclusive lock is held or wanted on this node, ask the server.
static int count_myself(struct csp_wnode *node)
{
    atomic_fetch_add_explicit(&node->lockall_count, 1,
                              memory_order_seq_cst);                   // pairs with the server's
    if (!atomic_load_explicit(&node->exclusive, memory_order_seq_cst)) // store of `exclusive`
        return 1;
    atomic_fetch_sub_explicit(&node->lockall_count, 1, memory_order_release);
    return 0;
}

static void set_node(struct csp_win *w, int node)
{
    atomic_fetch_or_explicit(&w->lockall_node[node / 64], UINT64_C(1) << (node % 64),
                             memory_order_release);
}

void csp_win_lockall_node(struct csp_win *w, int target)
{
    int node = w->peers[target].node;
    pthread_mutex_lock(&w->lockall_mutex);
    int mine = !(w->lockall_node[node / 64] >> (node % 64) & 1);
    if (mine)
        acquire(w, node, ALL_TARGETS, MPI_LOCK_SHARED);
    set_node(w, node);
    pthread_mutex_unlock(&w->lockall_mutex);
}

int csp_rma_win_lock_all(struct csp_win *w, int assertion)
{
    int rc = csp_win_locked(w) ? MPI_ERR_RMA_SYNC : may_lock(w, CSP_EPOCH_LOCKALL, assertion);
    if (rc != MPI_SUCCESS)
        return csp_win_raise(w, rc);
    csp_win_fence_over(w);
    w->locked_all_nocheck = (assertion & MPI_MODE_NOCHECK) != 0;
    if (!w->locked_all_nocheck) {
        // before `exclusive` is read: pairs with the server's, which raises that before it takes a stamp
        w->lockall_stamp = atomic_load_explicit(&w->node->lock_clock, memory_order_seq_cst);
        w->locked_all_fast = count_myself(w->node);
        if (w->locked_all_fast)
            set_node(w, csp_rt.node);
        else
            csp_win_lockall_node(w, w->rank);
        for (int i = 0; !csp_config.lock_defer && i < w->members->nnodes; i++)
            csp_win_lockall_touch(w, w->members->leaders[i]);
    }
    atomic_store(&w->locked_all, 1);
    return MPI_SUCCESS;
}

static void unlock_node(struct csp_win *w, int node)
{
    if (node != csp_rt.node || !w->locked_all_fast) {
        lock_message(w, CSP_AM_UNLOCK, node, ALL_TARGETS, MPI_LOCK_SHARED, NULL);
        return;
    }
    atomic_fetch_sub_explicit(&w->node->lockall_count, 1, memory_order_seq_cst);
    if (atomic_load_explicit(&w->node->exclusive,
                             memory_order_seq_cst)) // the server may wait for it
        csp_bell_ring(&csp_node_procs(csp_rt.page)[w->gid % (uint64_t)csp_rt.topo->ng].bell);
}

int csp_rma_win_unlock_all(struct csp_win *w)
{
    if (!atomic_load(&w->locked_all))
        return csp_win_raise(w, MPI_ERR_RMA_SYNC);
    uint64_t begin = csp_time_wait();
    int rc = csp_win_flush_end(w);
    csp_time_waited(CSP_WAIT_FLUSH, begin);
    for (int i = 0; i < w->members->nnodes; i++) {
        int node = w->members->nodes[i];
        if (w->lockall_node[node / 64] >> (node % 64) & 1)
            unlock_node(w, node);
    }
    for (int i = 0; i < (csp_rt.topo->nnodes + 63) / 64; i++)
        atomic_store_explicit(&w->lockall_node[i], 0, memory_order_relaxed);
    atomic_store(&w->locked_all, 0);
    return rc;
}
