// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A redirected window as its users see it. Objects:
//   csp_win    private, one per window and process; found by the program's MPI_Win (the carrier)
//   csp_wnode  one per window and node, in the node's pool segment: what its users and ghosts
//   share,
//              and after it one csp_peer for each rank of the window
//   csp_iwin   an internal MPI window and the segment that ghosts expose in it: the pool's, or
//   one's own
// Owner of a csp_wnode is the window's lowest rank on the node (its leader): it allocates and frees
// it.
#ifndef CSP_RMA_WIN_H
#define CSP_RMA_WIN_H

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include "rma/rma.h"
#include "rma/rma_info.h"
#include "runtime/members.h"
#include "runtime/quirks.h"
#include "runtime/rt.h"
#include "runtime/wnode.h"

struct csp_iwin {
    MPI_Win win;           // locked (lock_all, NOCHECK) from creation to free
    struct csp_seg *seg;   // this node's
    const int32_t *ghosts; // [node * ng + gidx]: rank in win
    int users;             // they are in `win` with the segment too (rma_async.c)
    uint64_t id;           // by which the ghosts know the segment: CSP_PIECE_POOL, or a gid
    // own windows only
    struct csp_seg own_seg;
    const struct csp_ext *ext; // its processes; without it all, wrank = rank in win
    int32_t *own_ghosts;       // freed with it
    uint64_t *node_bytes;      // [node number]: size of the segment
};

extern struct csp_iwin csp_pool_iwin; // of the pool window; set by csp_rma_start

/** Start of the user role, in MPI_Init. */
void csp_rma_start(void);

struct csp_lock_held; // rma_lock.c
struct csp_attached;  // rma_attach.c

// A flush that confirms small PUTs by this executor, on the stack of its thread (rma_flush_one.c).
struct csp_confirmer {
    struct csp_confirmer *next;
    int bit;
};

enum { CSP_WEAK_PUTS = 4 };
struct csp_weak_put { // rma_weak.c
    _Atomic uint32_t state;
    int bit; // ghost
    MPI_Request request;
};

struct csp_win {
    MPI_Win handle; // carrier: what the program holds
    uintptr_t key;  // the carrier as an integer, for the table
    uint64_t gid;   // the same on all its processes, unique in the job
    struct csp_win *next_by_gid;
    _Atomic int pins; // threads that complete requests; under the lock of rma_early.h they come,
    int leaving;      // unless this is 1
    int n, rank;      // size and my rank
    MPI_Group group;
    struct csp_members *members; // counted reference
    struct csp_iwin *iwin;       // NULL: the software route for everything (rma_soft.c)
    struct csp_iwin own;         // for a window with its own segment
    struct csp_wnode *node;      // my node's shared part
    struct csp_peer *peers;      // [rank], in it
    // [csp_acc_index()], in it; NULL: ghosts execute all accumulates
    struct csp_acc_lock *acc_locks;
    // several nodes: whether accumulates to others take the software route (rma_soft.c)
    enum csp_soft_acc acc_soft;
    int acc_moves;       // they follow redirection
    uint64_t *node_offs; // [node number]: offset of the csp_wnode in that node's pool segment
    uint64_t my_off;     // my part: offset in the pool segment (pool windows)
    void *base;
    MPI_Aint size, disp_unit;
    uint64_t align;         // of my part, bytes
    long long shared_bytes; // leaders: of the wnode
    void *private_part;     // to be freed: a part of MPI_Win_allocate that no ghost maps
    struct csp_hints hints;

    // Redirection (rma_async.c)
    int async;      // now: enum csp_async_wish
    int async_wish; // from the next fence on
    int may_change; // users are in the internal window, and gates are there: as its processes said at its creation
    int said_fixed; // that it may not
    void *routes;   // in `node`: for the two below
    struct csp_auto
        *automatic;   // by measurement, in a window over several nodes; NULL: as `async` says
    uint8_t *profile; // by profile, likewise (rma_profile.c): [rank], 1: off
    struct csp_share *share; // leaders, in an exchange of predictions

    // Operations not yet complete, by executor: a bit for each ghost, [node * ng + gidx], and, from the
    // first time that redirection is off, for each target behind them. CSP_WIN_SETS sets, one allocation.
    int target_bits;         // they are there
    _Atomic uint64_t *used;  // of the MPI library: not known to be complete at the target
    _Atomic uint64_t *local; // not known to be complete at the origin
    // those with small PUTs whose flush needs confirmation (runtime/quirks.h)
    _Atomic uint64_t *weak;
    // Several threads: those that flushes confirm now, and these flushes (under `mutex`).
    _Atomic uint64_t *confirming;
    struct csp_confirmer *confirmers;
    _Atomic uint64_t *soft;                       // by the software route: as `used`,
    _Atomic uint64_t *soft_local;                 // as `local`: with memory of the program
    _Atomic uint64_t *failed;                     // by the software route; behind the sets
    _Atomic int soft_error;                       // MPI error code of the last one of these
    struct csp_weak_put weak_puts[CSP_WEAK_PUTS]; // those with a request of ours
    _Atomic uint16_t *unflushed; // what the MPI library brought to each ghost since the last flush
    int used_words;

    // Several ghosts on a node (rma_bind.c)
    int by_segment;          // accumulates: bound by the place in the target's memory
    int spread_bytes;        // `given` counts bytes, not operations
    _Atomic uint64_t *given; // PUT and GET by this process to each ghost; NULL: as accumulates
    // crowded: issued at ghosts since the last flush that was not quiet
    _Atomic uint64_t pending_bytes;

    void *attached;                      // dynamic windows: tree of what is attached,
    struct csp_attached *attached_empty; // and pieces without a byte

    // epochs
    _Atomic int
        fence_open; // a fence without MPI_MODE_NOSUCCEED was the last to begin an access epoch
    _Atomic int locked_all;         // inside lock_all
    int locked_all_nocheck;         //
    int locked_all_fast;            // counted in node->lockall_count rather than by the ghost
    uint64_t lockall_stamp;         // node->lock_clock when lock_all began
    _Atomic uint64_t *lockall_node; // a bit per node index: shared lock taken for lock_all
    pthread_mutex_t mutex;          // the lists below; message handlers take it too
    pthread_mutex_t lockall_mutex;  // first use of a node under lock_all; held while waiting
    struct csp_lock_held *held;     // locks of single targets
    _Atomic int nheld;              // how many; read without the mutex
    _Atomic int held_last;          // 1 + the target locked last, while it is; 0: look at the list
    struct {
        int *ranks; // access group, sorted
        int n, active;
    } access;
    struct {
        int n, active; // exposure group
    } expose;
    int *posts; // ranks whose MPI_Win_post arrived and was not used by a start
    int nposts, posts_room;
    _Atomic uint32_t completes; // MPI_Win_complete messages not yet waited for
    uint32_t barrier_gen;
    int attr_disp_unit, attr_flavor, attr_model; // storage behind MPI_Win_get_attr
    _Atomic uint32_t barrier_in[]; // arrivals per round: csp_rounds(nodes of the window)
};

/** Registers and forgets a window for csp_win_find and csp_win_by_gid. Messages that came early are
 * handled. */
void csp_win_register(struct csp_win *w);
void csp_win_forget(struct csp_win *w);

/** For who has only the id, and may be in another thread than who frees the window: that one waits until it is unpinned.
 * @return NULL: there is no such window any more. */
struct csp_win *csp_win_pin(uint64_t gid);
void csp_win_unpin(struct csp_win *w); // NULL is no window

/** Waits until nobody has it pinned; nobody can pin it from then on, or until csp_win_stay: to who would, all that it is about is
 * done. Nothing is under way. */
void csp_win_leave(struct csp_win *w);
void csp_win_stay(struct csp_win *w);

/** A new window of the MPI library's has this handle. Another thread may be about to forget one that had it. */
void csp_win_not_ours(MPI_Win handle);

/** Calls `visit` for each live window; while no other thread makes or frees one. */
void csp_win_each(void (*visit)(struct csp_win *w));

/** Raises an MPI error code on the window's own error handler. @return the code. */
int csp_win_raise(struct csp_win *w, int code);

/** Handles to MPI errors of internal calls: SUCCESS passes, the rest is raised. */
static inline int csp_win_rc(struct csp_win *w, int rc)
{
    return CSP_LIKELY(rc == MPI_SUCCESS) ? MPI_SUCCESS : csp_win_raise(w, rc);
}

/** Forgets what is still attached. */
void csp_attach_drop(struct csp_win *w);

/** Waits until all processes of the window are here. */
void csp_win_barrier(struct csp_win *w);

/** A barrier that tells all processes the bits that any of them gave. Bit 0 is csp_win_agree's. */
unsigned csp_win_vote(struct csp_win *w, unsigned mine);

/** A barrier. @return 1 on all processes if all said 1, else 0. */
int csp_win_agree(struct csp_win *w, int yes);

enum { CSP_WIN_SETS = 5 };

/** Makes the sets of executors, empty. */
void csp_win_bits(struct csp_win *w, int executors);

/** Raises the bit of an executor in one of the sets. After the operation: a flush that takes the
 * bit covers it. */
static inline void csp_win_mark(_Atomic uint64_t *words, int bit)
{
    uint64_t mask = UINT64_C(1) << (bit % 64);
    if (!(atomic_load_explicit(&words[bit / 64], memory_order_relaxed) & mask))
        atomic_fetch_or_explicit(&words[bit / 64], mask, memory_order_release);
}

/** Whether it is up. */
static inline int csp_win_marked(const _Atomic uint64_t *words, int bit)
{
    return (atomic_load_explicit(&words[bit / 64], memory_order_relaxed) >> (bit % 64) & 1) != 0;
}

/** Completes all operations of this process (those to one target) at their targets. */
int csp_win_flush_used(struct csp_win *w);
int csp_win_flush_end(struct csp_win *w); // and nothing of this process is under way any more
int csp_win_flush_target(struct csp_win *w, int target);

/** Notes an operation of the MPI library's by a ghost. Libraries that bring data in messages keep them in the ghost as long as it
 * is busy: a flood without a flush is slowed down here. @return MPI error code, not raised. */
int csp_win_flood(struct csp_win *w, int ghost, MPI_Aint bytes);

/** The place of a target's lock among w->acc_locks, or among those of its own node. */
static inline unsigned csp_acc_index(const struct csp_win *w, int target)
{
    if (!w->acc_soft)
        return (unsigned)target;
    return (unsigned)csp_topo_place_of_wrank(csp_rt.topo, w->peers[target].wrank);
}

/** csp_wait_begin for one executor, by a text with the window, the ghost and its node, or one with the window and its rank. */
struct csp_wait;
void csp_win_wait_begin(struct csp_wait *wait, const struct csp_win *w, int bit,
                        const char *by_ghost, const char *by_target);

/** Completes the operations of this process by one executor of an internal window at the origin, if there are some.
 * @return MPI error code, not raised. */
int csp_win_settle_local(struct csp_win *w, int bit);

/** Reads a byte by that executor: its request is complete when what this process sent there before is, as good as always.
 * @return MPI error code, not raised. */
int csp_win_ask(struct csp_win *w, int bit, MPI_Request *request);

/** A rank's memory in this process's address space; only for ranks of this node, and, where no ghost
 * maps the memory, for its own. */
static inline char *csp_win_local(const struct csp_win *w, int target)
{
    char *base = w->iwin ? w->iwin->seg->base : NULL;
    return (char *)((uintptr_t)base + w->peers[target].off); // NOLINT: off is the address then
}

/** 1 if this process holds a lock of `target` by MPI_Win_lock. */
int csp_win_holds(struct csp_win *w, int target);

/** The same, by MPI_Win_lock or lock_all. */
static inline int csp_win_passive(struct csp_win *w, int target)
{
    return atomic_load_explicit(&w->locked_all, memory_order_relaxed) ||
           atomic_load_explicit(&w->held_last, memory_order_relaxed) == target + 1 ||
           csp_win_holds(w, target);
}

/** 1 if `target` is in the group of the open access epoch of MPI_Win_start. */
int csp_win_started(const struct csp_win *w, int target);

/** 1 inside a passive target epoch of this process. */
static inline int csp_win_locked(const struct csp_win *w)
{
    return atomic_load_explicit(&w->locked_all, memory_order_relaxed) ||
           atomic_load_explicit(&w->nheld, memory_order_relaxed);
}

/** 1 if operations to `target` are allowed now: MPI-4.1 12.5 wants an epoch. */
static inline int csp_win_access_open(struct csp_win *w, int target)
{
    return atomic_load_explicit(&w->locked_all, memory_order_relaxed) ||
           atomic_load_explicit(&w->fence_open, memory_order_relaxed) ||
           (w->access.active && csp_win_started(w, target)) || csp_win_passive(w, target);
}

/** An access epoch of another kind begins: the last fence's is over (MPI-4.1 12.5: they do not overlap). */
static inline void csp_win_fence_over(struct csp_win *w)
{
    if (atomic_load_explicit(&w->fence_open, memory_order_relaxed))
        atomic_store_explicit(&w->fence_open, 0, memory_order_relaxed);
}

/** Under lock_all, before the first use of a node: takes its shared lock (rma_lock.c). */
void csp_win_lockall_node(struct csp_win *w, int target);
static inline void csp_win_lockall_touch(struct csp_win *w, int target)
{
    unsigned node = (unsigned)w->peers[target].node;
    if (CSP_UNLIKELY(!(w->lockall_node[node / 64] >> (node % 64) & 1)))
        csp_win_lockall_node(w, target);
}

#endif
