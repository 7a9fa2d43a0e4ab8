// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Completion of operations: flush and its variants. MPI-4.1 12.5.4. Only ghosts that were used
// since the last flush are flushed. docs/design/ghost.md says why flushes on crowded nodes are
// quiet.
#include "rma/rma_async.h"
#include "rma/rma_auto.h"
#include "rma/rma_flush_one.h"
#include "rma/rma_soft.h"
#include "rma/rma_time.h"
#include "runtime/am.h"
#include "runtime/meta.h"

enum {
    FLOOD_UNIT = 512,                      // bytes; an operation takes one besides its data
    FLOOD_UNITS = (16 << 20) / FLOOD_UNIT, // of one process at one ghost without a flush
    PER_WORD = 8 / (int)sizeof(uint16_t),  // counters
    WORD_BITS = 64,
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

static int node_of(const struct csp_win *w, int bit)
{
    int ghosts = csp_async_ghosts();
    return bit < ghosts ? bit / csp_rt.topo->ng : w->peers[bit - ghosts].node;
}

// One executor's, and so a part of what is under way.
static int flush_measured(struct csp_win *w, int bit, int local)
{
    int node = node_of(w, bit), measures = csp_auto_wait_begin(w, node);
    struct csp_flushing f;
    csp_flushing_begin(w, bit, local, &f);
    int rc = csp_flushing_end(w, &f);
    if (measures)
        csp_auto_wait_end(w, node);
    return rc;
}

int csp_win_settle_local(struct csp_win *w, int bit)
{
    return csp_win_take_bit(w->local, bit) ? flush_measured(w, bit, 1) : MPI_SUCCESS;
}

int csp_win_flood(struct csp_win *w, int ghost, MPI_Aint bytes)
{
    _Atomic uint16_t *there = &w->unflushed[ghost]; // threads may lose some
    MPI_Aint units = 1 + bytes / FLOOD_UNIT + atomic_load_explicit(there, memory_order_relaxed);
    if (CSP_LIKELY(units < FLOOD_UNITS)) {
        atomic_store_explicit(there, (uint16_t)units, memory_order_relaxed);
        return MPI_SUCCESS;
    }
    csp_win_take_bit(w->used, ghost);
    return flush_measured(w, ghost, 0);
}

// What a flush completes: operations of the MPI library, and those of the software route.
struct todo {
    _Atomic uint64_t *library, *software;
    int local; // at the origin only
};

static struct todo at_target(const struct csp_win *w)
{
    return (struct todo){w->used, w->soft, 0};
}

static struct todo at_origin(const struct csp_win *w)
{
    return (struct todo){w->local, w->soft_local, 1};
}

// All are flushed whatever one says: the next one may still read the program's memory.
static int first_error(int rc, int next)
{
    return rc != MPI_SUCCESS ? rc : next;
}

static int has_word(struct todo todo, int i)
{
    return (atomic_load_explicit(&todo.library[i], memory_order_relaxed) |
            atomic_load_explicit(&todo.software[i], memory_order_relaxed)) != 0;
}

static int next_bit(int word, uint64_t bits)
{
    return word * WORD_BITS + __builtin_ctzll(bits);
}

static int flush_software(struct csp_win *w, int bit, int local)
{
    if (local)
        return csp_soft_flush_local(w, bit);
    csp_win_take_bit(w->soft_local, bit);
    return csp_soft_flush(w, bit);
}

// The executors of one word that are in the mask. All are asked before one is waited for: many ghosts take as long as one.
static int flush_word(struct csp_win *w, struct todo todo, int word, uint64_t mask)
{
    struct csp_flushing begun[WORD_BITS];
    uint64_t library = csp_win_take(todo.library, word, mask);
    uint64_t software = csp_win_take(todo.software, word, mask), bits;
    int n = 0, rc = MPI_SUCCESS;
    if (!todo.local && (library || (software & (software - 1))))
        for (bits = software; bits; bits &= bits - 1)
            rc = first_error(rc, csp_soft_ask(next_bit(word, bits)));
    for (bits = library; bits; bits &= bits - 1)
        csp_flushing_begin(w, next_bit(word, bits), todo.local, &begun[n++]);
    for (int i = 0; i < n; i++)
        rc = first_error(rc, csp_flushing_end(w, &begun[i]));
    for (bits = software; bits; bits &= bits - 1)
        rc = first_error(rc, flush_software(w, next_bit(word, bits), todo.local));
    return rc;
}

static int flush_each(struct csp_win *w, struct todo todo)
{
    int rc = MPI_SUCCESS;
    for (int i = 0; i < w->used_words; i++)
        if (has_word(todo, i))
            rc = first_error(rc, flush_word(w, todo, i, UINT64_MAX));
    return rc;
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
    return way_has(w, target, todo.library) || way_has(w, target, todo.software);
}

static int flush_node(struct csp_win *w, int target, struct todo todo)
{
    int rc = MPI_SUCCESS;
    struct range r = ghosts_of(w, target);
    for (int bit = r.first, end; bit < r.end; bit = end) {
        int word = bit / WORD_BITS;
        end = r.end < (word + 1) * WORD_BITS ? r.end : (word + 1) * WORD_BITS;
        uint64_t mask = UINT64_MAX >> (WORD_BITS - (end - bit)) << (bit % WORD_BITS);
        rc = first_error(rc, flush_word(w, todo, word, mask));
    }
    if (!w->target_bits)
        return rc;
    int bit = csp_async_target(target);
    return first_error(rc, flush_word(w, todo, bit / WORD_BITS, UINT64_C(1) << (bit % WORD_BITS)));
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

static __attribute__((noinline)) int flush_timed(struct csp_win *w, int rank, struct todo todo,
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

// Nothing is under way to anybody, and there is nothing to say about the call.
static inline int is_quiet(struct csp_win *w, int rank, struct todo todo)
{
    return (unsigned)rank < (unsigned)w->n && w->used_words == 1 && !has_word(todo, 0) &&
           csp_win_passive(w, rank);
}

static inline int flush_rank(struct csp_win *w, int rank, struct todo todo,
                             int (*flush)(struct csp_win *, int))
{
    return is_quiet(w, rank, todo) ? flush_nothing(w, rank) : flush_timed(w, rank, todo, flush);
}

int csp_rma_win_flush(struct csp_win *w, int rank)
{
    return flush_rank(w, rank, at_target(w), csp_win_flush_target);
}

static int window_has(const struct csp_win *w, struct todo todo)
{
    for (int i = 0; i < w->used_words; i++)
        if (has_word(todo, i))
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
    return flush_rank(w, rank, at_origin(w), flush_local_target);
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
