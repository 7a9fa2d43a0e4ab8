// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Completion of operations: flush and its variants. MPI-4.1 12.5.4. Only ghosts that were used
// since the last flush are flushed. docs/design/ghost.md says why flushes on crowded nodes are
// quiet.
#include "rma/rma_win.h"

#include "base/clock.h"
#include "rma/rma_async.h"
#include "rma/rma_auto.h"
#include "rma/rma_nudge.h"
#include "rma/rma_soft.h"
#include "rma/rma_time.h"
#include "rma/rma_weak.h"
#include "runtime/am.h"
#include "runtime/meta.h"
#include "runtime/node.h"
#include "runtime/quirks.h"
#include "runtime/wait.h"

enum {
    QUIET_SLOW_NS = 300000, // a flush by a ghost that has a core or naps takes less,
    QUIET_SLOW_BYTE_NS = 4, // and this for each byte under way
    QUIET_MIN = 16,         // quiet flushes after a slow one
    QUIET_MAX = 1024,
    FLOOD_UNIT = 512,                      // bytes; an operation takes one besides its data
    FLOOD_UNITS = (16 << 20) / FLOOD_UNIT, // of one process at one ghost without a flush
    PER_WORD = 8 / (int)sizeof(uint16_t),  // counters
};

void csp_win_bits(struct csp_win *w, int executors)
{
    size_t words = (size_t)(executors + 63) / 64;
    w->used_words = (int)words;
    size_t counters = (size_t)(csp_async_ghosts() + PER_WORD - 1) / PER_WORD;
    w->used =
        csp_meta_alloc(CSP_META_WINDOW, ((CSP_WIN_SETS + 2) * words + counters) * sizeof(*w->used));
    w->local = w->used + words;
    w->weak = w->local + words;
    w->soft = w->weak + words;
    w->soft_local = w->soft + words;
    w->failed = w->soft_local + words;
    w->confirming = w->failed + words;
    w->unflushed = (_Atomic uint16_t *)(w->confirming + words);
}

void csp_win_wait_begin(struct csp_wait *wait, const struct csp_win *w, int bit,
                        const char *by_ghost, const char *by_target)
{
    int ghosts = csp_async_ghosts(), ng = csp_rt.topo->ng;
    if (bit < ghosts)
        csp_wait_begin3(wait, by_ghost, (long)w->gid, bit % ng, bit / ng);
    else
        csp_wait_begin3(wait, by_target, (long)w->gid, bit - ghosts, 0);
}

// A byte read from the ghost after the operations. When it is here, so are they, as good as always:
// the flush that follows is what MPI promises. Uses, beside that for requests (rma_request.c):
// - where the library's flush does not wait for small PUTs, the byte proves that they are there;
// - on crowded nodes its request can be waited for quietly, which leaves the core to the ghosts; the
//   library's own flush would spin (0.6 ms and more for an operation that takes 10 us).
int csp_win_ask(struct csp_win *w, int bit, MPI_Request *request)
{
    static char byte; // nobody looks at it
    return csp_mpi.Rget(&byte, 1, MPI_BYTE, csp_async_rank(w, bit), 0, 1, MPI_BYTE, w->iwin->win,
                        request);
}

static int read_back(struct csp_win *w, int bit)
{
    MPI_Request request;
    int done = 0;
    int rc = csp_win_ask(w, bit, &request);
    struct csp_wait wait;
    csp_win_wait_begin(&wait, w, bit, "flush of window %ld by ghost %ld of node %ld",
                       "flush of window %ld by its rank %ld");
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

// On crowded nodes: is the library's flush slow because it spins on a core that the ghost needs?
// Then the next flushes are quiet; now and then one finds out whether that is still so.
static _Atomic unsigned quiet_left, quiet_next = QUIET_MIN;

static int is_quiet(void)
{
    unsigned left = atomic_load_explicit(&quiet_left, memory_order_relaxed);
    if (left == 0)
        return 0;
    atomic_store_explicit(&quiet_left, left - 1, memory_order_relaxed);
    return 1;
}

static void learn(uint64_t took_ns, uint64_t bytes)
{
    unsigned n = atomic_load_explicit(&quiet_next, memory_order_relaxed);
    int slow = took_ns > QUIET_SLOW_NS + bytes * QUIET_SLOW_BYTE_NS;
    atomic_store_explicit(&quiet_left, slow ? n : 0, memory_order_relaxed);
    n = slow ? n * 2 : n / 2;
    n = n > QUIET_MAX ? QUIET_MAX : n < QUIET_MIN ? QUIET_MIN : n;
    atomic_store_explicit(&quiet_next, n, memory_order_relaxed);
}

static int complete(struct csp_win *w, int bit, int (*flush)(int, MPI_Win))
{
    int rc = csp_quirks.weak_put_bytes ? csp_weak_wait(w, bit) : MPI_SUCCESS;
    return rc == MPI_SUCCESS ? flush(csp_async_rank(w, bit), w->iwin->win) : rc;
}

static int flush_crowded(struct csp_win *w, int bit, int weak, int (*flush)(int, MPI_Win))
{
    uint64_t begin = csp_clock_ns();
    uint64_t bytes = atomic_exchange_explicit(&w->pending_bytes, 0, memory_order_relaxed);
    int quiet = is_quiet();
    int rc = weak || quiet ? read_back(w, bit) : MPI_SUCCESS;
    if (rc == MPI_SUCCESS)
        rc = complete(w, bit, flush);
    uint64_t end = csp_clock_ns();
    if (!quiet)
        learn(end - begin, bytes);
    csp_nudge_flushed(bit, end);
    return rc;
}

// The library's flush or flush_local by one ghost or target. By a ghost made quiet where that is better; a target that computes
// is slow because of that, and would answer a second operation, read_back's, as late as the first.
static int flush_by(struct csp_win *w, int bit, int weak, int (*flush)(int, MPI_Win))
{
    if (csp_rt.crowded && bit < csp_async_ghosts())
        return flush_crowded(w, bit, weak, flush);
    int rc = weak ? read_back(w, bit) : MPI_SUCCESS;
    return rc == MPI_SUCCESS ? complete(w, bit, flush) : rc;
}

// With several threads a weak bit cannot stay up as take_bit leaves it: its executor may be a target, by now that of no more
// operations, and each flush would wait for it. It goes over to `confirming`, until no flush goes on that began with it there.
// @return 1: the flush must confirm; confirm_end is due behind it.
static int confirm_begin(struct csp_win *w, struct csp_confirmer *c)
{
    uint64_t mask = UINT64_C(1) << (c->bit % 64);
    _Atomic uint64_t *weak = &w->weak[c->bit / 64], *confirming = &w->confirming[c->bit / 64];
    if (!csp_stats_threads)
        return take_bit(w->weak, c->bit);
    // In this order: it is raised in one before it goes down in the other.
    if (!(atomic_load_explicit(weak, memory_order_acquire) & mask) &&
        !(atomic_load_explicit(confirming, memory_order_acquire) & mask))
        return 0;
    pthread_mutex_lock(&w->mutex);
    if (atomic_load_explicit(weak, memory_order_acquire) & mask) {
        atomic_fetch_or_explicit(confirming, mask, memory_order_release);
        atomic_fetch_and_explicit(weak, ~mask, memory_order_acq_rel);
    }
    int must = (atomic_load_explicit(confirming, memory_order_relaxed) & mask) != 0;
    if (must) {
        c->next = w->confirmers;
        w->confirmers = c;
    }
    pthread_mutex_unlock(&w->mutex);
    return must;
}

static void confirm_end(struct csp_win *w, struct csp_confirmer *c)
{
    int others = 0;
    if (!csp_stats_threads)
        return;
    pthread_mutex_lock(&w->mutex);
    for (struct csp_confirmer **at = &w->confirmers; *at;) {
        if (*at == c) {
            *at = c->next;
            continue;
        }
        others |= (*at)->bit == c->bit;
        at = &(*at)->next;
    }
    if (!others)
        atomic_fetch_and_explicit(&w->confirming[c->bit / 64], ~(UINT64_C(1) << (c->bit % 64)),
                                  memory_order_release);
    pthread_mutex_unlock(&w->mutex);
}

static int flush_bit(struct csp_win *w, int bit)
{
    struct csp_confirmer c = {.bit = bit};
    if (bit < csp_async_ghosts())
        atomic_store_explicit(&w->unflushed[bit], 0, memory_order_relaxed);
    take_bit(w->local, bit);
    int weak = confirm_begin(w, &c), rc = flush_by(w, bit, weak, csp_mpi.Win_flush);
    if (weak)
        confirm_end(w, &c);
    return rc;
}

static int flush_local_bit(struct csp_win *w, int bit)
{
    return flush_by(w, bit, 0, csp_mpi.Win_flush_local);
}

static int node_of(const struct csp_win *w, int bit)
{
    int ghosts = csp_async_ghosts();
    return bit < ghosts ? bit / csp_rt.topo->ng : w->peers[bit - ghosts].node;
}

// One executor's, and so a part of what is under way.
static int flush_measured(struct csp_win *w, int bit, int (*flush)(struct csp_win *, int))
{
    int node = node_of(w, bit), measures = csp_auto_wait_begin(w, node);
    int rc = flush(w, bit);
    if (measures)
        csp_auto_wait_end(w, node);
    return rc;
}

int csp_win_settle_local(struct csp_win *w, int bit)
{
    return take_bit(w->local, bit) ? flush_measured(w, bit, flush_local_bit) : MPI_SUCCESS;
}

int csp_win_flood(struct csp_win *w, int ghost, MPI_Aint bytes)
{
    _Atomic uint16_t *there = &w->unflushed[ghost]; // threads may lose some
    MPI_Aint units = 1 + bytes / FLOOD_UNIT + atomic_load_explicit(there, memory_order_relaxed);
    if (CSP_LIKELY(units < FLOOD_UNITS)) {
        atomic_store_explicit(there, (uint16_t)units, memory_order_relaxed);
        return MPI_SUCCESS;
    }
    take_bit(w->used, ghost);
    return flush_measured(w, ghost, flush_bit);
}

static int flush_soft_bit(struct csp_win *w, int bit)
{
    take_bit(w->soft_local, bit);
    return csp_soft_flush(w, bit);
}

// What a flush completes: operations of the MPI library, and those of the software route.
enum { LIBRARY, SOFTWARE, WAYS };
struct todo {
    struct way {
        _Atomic uint64_t *words;
        int (*flush)(struct csp_win *, int bit);
    } way[WAYS];
};

static struct todo at_target(const struct csp_win *w)
{
    return (struct todo){{{w->used, flush_bit}, {w->soft, flush_soft_bit}}};
}

static struct todo at_origin(const struct csp_win *w)
{
    return (struct todo){{{w->local, flush_local_bit}, {w->soft_local, csp_soft_flush_local}}};
}

// All are flushed whatever one says: the next one may still read the program's memory.
static int first_error(int rc, int next)
{
    return rc != MPI_SUCCESS ? rc : next;
}

// All ghosts that have a bit in one way's words.
static int flush_way(struct csp_win *w, const struct way *way)
{
    int rc = MPI_SUCCESS;
    for (int i = 0; i < w->used_words; i++) {
        if (atomic_load_explicit(&way->words[i], memory_order_relaxed) == 0)
            continue;
        uint64_t bits = atomic_load_explicit(&way->words[i], memory_order_acquire);
        for (; bits; bits &= bits - 1) {
            int bit = i * 64 + __builtin_ctzll(bits);
            if (take_bit(way->words, bit))
                rc = first_error(rc, way->flush(w, bit));
        }
    }
    return rc;
}

static int flush_each(struct csp_win *w, struct todo todo)
{
    int rc = flush_way(w, &todo.way[LIBRARY]);
    return first_error(rc, flush_way(w, &todo.way[SOFTWARE]));
}

int csp_win_flush_used(struct csp_win *w)
{
    int how = csp_auto_flush_begin(w, -1);
    int rc = flush_each(w, at_target(w));
    atomic_thread_fence(memory_order_seq_cst); // direct stores before what follows
    if (how)
        csp_auto_flush_end(w, -1, how);
    return csp_win_rc(w, rc);
}

int csp_win_flush_end(struct csp_win *w)
{
    int rc = csp_win_flush_used(w);
    for (int i = 0; csp_stats_threads && i < CSP_WIN_SETS * w->used_words; i++)
        atomic_store_explicit(&w->used[i], 0, memory_order_relaxed);
    return rc;
}

// The ghosts of the target's node any of which may have got an operation of it.
struct range {
    int first, end;
};

static struct range ghosts_of(const struct csp_win *w, int target)
{
    int bit = w->peers[target].ghost_bit, first = w->peers[target].node * csp_rt.topo->ng;
    if (!w->by_segment && !w->given)
        return (struct range){bit, bit + 1};
    return (struct range){first, first + csp_rt.topo->ng};
}

static int way_has(const struct csp_win *w, int target, const _Atomic uint64_t *words)
{
    struct range r = ghosts_of(w, target);
    for (int bit = r.first; bit < r.end; bit++)
        if (csp_win_marked(words, bit))
            return 1;
    return w->target_bits && csp_win_marked(words, csp_async_target(target));
}

static int node_has(const struct csp_win *w, int target, struct todo todo)
{
    return way_has(w, target, todo.way[LIBRARY].words) ||
           way_has(w, target, todo.way[SOFTWARE].words);
}

static int flush_node_way(struct csp_win *w, int target, const struct way *way)
{
    int rc = MPI_SUCCESS;
    struct range r = ghosts_of(w, target);
    for (int bit = r.first; bit < r.end; bit++)
        if (take_bit(way->words, bit))
            rc = first_error(rc, way->flush(w, bit));
    if (w->target_bits && take_bit(way->words, csp_async_target(target)))
        rc = first_error(rc, way->flush(w, csp_async_target(target)));
    return rc;
}

static int flush_node(struct csp_win *w, int target, struct todo todo)
{
    int rc = flush_node_way(w, target, &todo.way[LIBRARY]);
    return first_error(rc, flush_node_way(w, target, &todo.way[SOFTWARE]));
}

int csp_win_flush_target(struct csp_win *w, int target)
{
    int how = csp_auto_flush_begin(w, target);
    int rc = flush_node(w, target, at_target(w));
    atomic_thread_fence(memory_order_seq_cst);
    if (how)
        csp_auto_flush_end(w, target, how);
    return csp_win_rc(w, rc);
}

// Nothing is under way: direct stores go before what follows.
static int flush_nothing(struct csp_win *w, int target)
{
    atomic_thread_fence(memory_order_seq_cst);
    csp_auto_flush_nothing(w, target);
    csp_am_poll_at_times();
    return MPI_SUCCESS;
}

static int flush_timed(struct csp_win *w, int rank, struct todo todo,
                       int (*flush)(struct csp_win *, int))
{
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    if (rank < 0 || rank >= w->n)
        return csp_win_raise(w, MPI_ERR_RANK);
    if (!csp_win_passive(w, rank))
        return csp_win_raise(w, MPI_ERR_RMA_SYNC);
    if (!node_has(w, rank, todo))
        return flush_nothing(w, rank);
    uint64_t begin = csp_time_wait();
    int rc = flush(w, rank);
    csp_time_waited(CSP_WAIT_FLUSH, begin);
    return rc;
}

int csp_rma_win_flush(struct csp_win *w, int rank)
{
    return flush_timed(w, rank, at_target(w), csp_win_flush_target);
}

static int window_has(const struct csp_win *w, struct todo todo)
{
    for (int k = 0; k < WAYS; k++)
        for (int i = 0; i < w->used_words; i++)
            if (atomic_load_explicit(&todo.way[k].words[i], memory_order_relaxed) != 0)
                return 1;
    return 0;
}

static int flush_all_timed(struct csp_win *w, struct todo todo, int (*flush)(struct csp_win *))
{
    if (!csp_win_locked(w))
        return csp_win_raise(w, MPI_ERR_RMA_SYNC);
    if (!window_has(w, todo))
        return flush_nothing(w, -1);
    uint64_t begin = csp_time_wait();
    int rc = flush(w);
    csp_time_waited(CSP_WAIT_FLUSH, begin);
    return rc;
}

int csp_rma_win_flush_all(struct csp_win *w)
{
    return flush_all_timed(w, at_target(w), csp_win_flush_used);
}

static int flush_local_target(struct csp_win *w, int target)
{
    int measures = csp_auto_wait_begin(w, w->peers[target].node);
    int rc = flush_node(w, target, at_origin(w));
    if (measures)
        csp_auto_wait_end(w, w->peers[target].node);
    return csp_win_rc(w, rc);
}

int csp_rma_win_flush_local(struct csp_win *w, int rank)
{
    return flush_timed(w, rank, at_origin(w), flush_local_target);
}

static int flush_local_used(struct csp_win *w)
{
    int measures = csp_auto_wait_begin(w, -1);
    int rc = flush_each(w, at_origin(w));
    if (measures)
        csp_auto_wait_end(w, -1);
    return csp_win_rc(w, rc);
}

int csp_rma_win_flush_local_all(struct csp_win *w)
{
    return flush_all_timed(w, at_origin(w), flush_local_used);
}
