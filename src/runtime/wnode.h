// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The part of a redirected window that a node's users and ghosts share, in the node's pool segment.
#ifndef CSP_RUNTIME_WNODE_H
#define CSP_RUNTIME_WNODE_H

#include <stdatomic.h>
#include <stdint.h>
#include "adapt/gate.h"
#include "shm/seg.h"

// One rank of the window. Written by the leader of each node before `ready`.
struct csp_peer {
    uint64_t off;       // of its memory in its node's segment (pool or own)
    uint64_t size;      // bytes
    uint32_t disp_unit; // bytes
    int32_t wrank;
    int32_t node;      // node number
    int32_t ghost_bit; // node * ng + gidx of the ghost that serves it
};

// For accumulates by load and store; a cache line each. Users wait for it, ghosts only try.
struct csp_acc_lock {
    _Alignas(64) _Atomic uint32_t held;
};

/** @return 1 if the caller holds it now. Who waits does not take the cache line from the holder. */
static inline int csp_acc_try(struct csp_acc_lock *lock)
{
    return !atomic_load_explicit(&lock->held, memory_order_relaxed) &&
           !atomic_exchange_explicit(&lock->held, 1, memory_order_acquire);
}

static inline void csp_acc_release(struct csp_acc_lock *lock)
{
    atomic_store_explicit(&lock->held, 0, memory_order_release); // pairs with csp_acc_try
}

struct csp_wnode {
    _Atomic uint32_t ready;        // release by the leader: the peers are written
    _Atomic uint32_t failed;       // own segment: someone of the node could not map it
    _Atomic uint32_t mapped;       // own segment: users and ghosts of the node that tried
    _Atomic uint32_t users;        // users of the node that still need this; the last one frees it
    _Atomic uint32_t server_locks; // locks that the lock server of this node holds or queues
    _Atomic uint32_t votes[2]; // of a barrier (csp_win_vote), by its number: bits that somebody has
    uint32_t n;                // ranks of the window
    uint64_t gid;
    struct csp_seg_key key; // own segment
    // Barrier among the node's users.
    _Alignas(64) _Atomic uint32_t arrived;
    _Atomic uint32_t released;
    // lock_all on this node without a message: users count themselves unless an exclusive lock is
    // wanted; the lock server raises `exclusive` and then waits for the count to reach 0.
    _Alignas(64) _Atomic uint32_t lockall_count;
    _Atomic uint32_t exclusive;
    _Atomic uint64_t lock_clock; // Lamport's, of the window's locks; ghost_lock.c
    _Alignas(64) struct csp_peer peers[];
    // behind them, at the next multiple of 64: if all ranks are on this node, struct csp_acc_lock [rank]; if
    // accumulates take the software route in a window over several nodes, the same [user of this node];
    // then, if redirection of such a window may change, struct csp_gate [user of this node][node of the window]
    // (rma_auto.c), or, by profile, a byte for each rank (rma_profile.c)
};

/** The clock of a node's locks is at least at `stamp` from now on. */
static inline void csp_lock_clock_raise(struct csp_wnode *node, uint64_t stamp)
{
    uint64_t now = atomic_load_explicit(&node->lock_clock, memory_order_relaxed);
    while (now < stamp && !atomic_compare_exchange_weak(&node->lock_clock, &now, stamp))
        ;
}

static inline uint64_t csp_wnode_peers_bytes(int n)
{
    return (sizeof(struct csp_wnode) + (uint64_t)n * sizeof(struct csp_peer) + 63) / 64 * 64;
}

static inline uint64_t csp_wnode_bytes(int n, int acc_locks, uint64_t routes_bytes)
{
    return csp_wnode_peers_bytes(n) + (uint64_t)acc_locks * sizeof(struct csp_acc_lock) +
           routes_bytes;
}

/** `n`: ranks of the window; also right before the leader has written it. */
static inline void *csp_wnode_behind_peers(struct csp_wnode *node, int n)
{
    return (char *)node + csp_wnode_peers_bytes(n);
}

#endif
