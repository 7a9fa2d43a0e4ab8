// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_auto.h"

#include "base/clock.h"
#include "rma/rma_async.h"
#include "rma/rma_op.h"
#include "runtime/am.h"
#include "runtime/meta.h"
#include "runtime/node.h"
#include "runtime/wait.h"

enum {
    UNIT_BYTES = 4096, // cost as much as one more operation; report and trace say so
    NO_TARGET = -1,
    SEVERAL = -2,
    ALL = -1 // nodes, targets
};

// The targets of a node.
struct node {
    struct node *next;
    int number;
    struct csp_gate *gate;
    int at_once; // my node, and accumulates that do not go to their target are complete when they were issued
    int entered;              // one thread: accumulates are under way
    _Atomic int target;       // of those; NO_TARGET, SEVERAL
    int left;                 // where to look first for targets with something under way
    _Atomic uint64_t pending; // units that nobody has waited for
    _Atomic uint64_t done;    // units that were complete when they were issued
    _Atomic int local;        // some were waited for, and may be under way to the target
    uint64_t seen;            // of the gate when the wait began,
    uint64_t wait_ns;         // 0: nothing was under way
    uint64_t waits;           // units
    _Atomic uint64_t last_ns; // end of the last wait for requests
};

struct csp_auto {
    pthread_mutex_t lock; // for the list, and the flushes
    _Atomic int flushing; // a thread that measures
    // Several threads. Bits: targets with accumulates since the last flush of them began.
    _Atomic uint64_t *open;
    int flushes, deferred;     // under `lock`: how many go on; did one end while others went on?
    struct csp_gate *gates;    // of this process, [number of a node in the window]
    struct node *_Atomic list; // only grows
    struct node *_Atomic of_node[]; // [node number]
};

struct csp_auto *csp_auto_new(struct csp_win *w)
{
    size_t nodes = (size_t)csp_rt.topo->nnodes;
    struct csp_auto *a =
        csp_meta_alloc(CSP_META_WINDOW, sizeof(*a) + nodes * sizeof(a->of_node[0]));
    int before = 0; // users of my node
    for (int i = 0; i < w->rank; i++)
        before += w->peers[i].node == csp_rt.node;
    uint64_t at = (uint64_t)before * csp_auto_gates_bytes(w->members->nnodes);
    if (csp_stats_threads)
        a->open = csp_meta_alloc(CSP_META_WINDOW, (size_t)(w->n + 63) / 64 * sizeof(*a->open));
    a->gates = (struct csp_gate *)((char *)w->routes + at); // NOLINT
    pthread_mutex_init(&a->lock, NULL);
    return a;
}

static void tell_ghost(struct csp_win *w, const struct node *n, enum csp_am_type type)
{
    struct csp_am msg = {.type = type,
                         .gid = w->gid,
                         .a = n->number,
                         .b = w->members->nodes[0],
                         .off = (uint64_t)((char *)n->gate - (char *)csp_rt.pool.base)};
    csp_am_send(csp_topo_ghosts(csp_rt.topo)[csp_rt.node * csp_rt.topo->ng], &msg);
}

static void await_gate(const struct csp_win *w, const struct node *n, uint64_t flag, int up,
                       const char *what)
{
    struct csp_wait wait;
    csp_wait_begin3(&wait, what, n->number, (long)w->gid, 0);
    while (((csp_gate_look(n->gate) & flag) != 0) != up)
        csp_wait_turn(&wait);
}

void csp_auto_free(struct csp_win *w, struct csp_auto *a)
{
    struct node *next;
    if (!a)
        return;
    for (struct node *n = a->list; n; n = n->next)
        tell_ghost(w, n, CSP_AM_ROUTE_LEAVE);
    for (struct node *n = a->list; n; n = next) {
        next = n->next;
        await_gate(w, n, CSP_GATE_GONE, 1,
                   "first ghosts of this node and of node %ld to forget window %ld");
        csp_meta_free(CSP_META_WINDOW, n);
    }
    pthread_mutex_destroy(&a->lock);
    csp_meta_free(CSP_META_WINDOW, a->open);
    csp_meta_free(CSP_META_WINDOW, a);
}

static void free_left(struct csp_win *w)
{
    csp_auto_free(w, w->automatic);
    w->automatic = NULL;
}

void csp_auto_stop(void)
{
    csp_win_each(free_left);
}

static int index_of(const struct csp_members *m, int number)
{
    int i = 0;
    while (m->nodes[i] != number)
        i++;
    return i;
}

// The first operation to a node.
static struct node *add(struct csp_win *w, int number)
{
    struct csp_auto *a = w->automatic;
    pthread_mutex_lock(&a->lock);
    struct node *n = a->of_node[number];
    if (!n) {
        n = csp_meta_alloc(CSP_META_WINDOW, sizeof(*n));
        n->number = number;
        n->at_once = number == csp_rt.node && w->acc_locks;
        n->target = NO_TARGET;
        n->gate = &a->gates[index_of(w->members, number)];
        csp_gate_init(n->gate);
        tell_ghost(w, n, CSP_AM_ROUTE_JOIN);
        n->next = a->list;
        atomic_store_explicit(&a->list, n, memory_order_release);
        atomic_store_explicit(&a->of_node[number], n, memory_order_release);
    }
    pthread_mutex_unlock(&a->lock);
    return n;
}

// One node, or the first of all; then the others.
static struct node *first(const struct csp_win *w, int node)
{
    const struct csp_auto *a = w->automatic;
    return atomic_load_explicit(node < 0 ? &a->list : &a->of_node[node], memory_order_acquire);
}

static struct node *next(const struct node *n, int node)
{
    return node < 0 ? n->next : NULL;
}

static int target_of(const struct node *n)
{
    return atomic_load_explicit(&n->target, memory_order_relaxed);
}

static void note_target(struct node *n, int target)
{
    int none = NO_TARGET;
    if (!atomic_compare_exchange_strong_explicit(&n->target, &none, target, memory_order_relaxed,
                                                 memory_order_relaxed) &&
        none != target)
        atomic_store_explicit(&n->target, SEVERAL, memory_order_relaxed);
}

// Nobody changes the route of accumulates until this one is complete.
static void enter(struct csp_win *w, struct node *n)
{
    while (!n->entered && !csp_gate_enter(n->gate))
        await_gate(w, n, CSP_GATE_CLOSED, 0,
                   "accumulate: first ghost of node %ld to change the route of window %ld");
}

// It will be under way.
static void stay(struct node *n, int target)
{
    if (n->entered && target_of(n) == target)
        return;
    note_target(n, target);
    if (csp_stats_threads || n->entered)
        return;
    csp_gate_issued(n->gate); // whoever flushes is this thread
    n->entered = 1;
}

// The ghost waits for a gate that is closed now.
static void tell_closed(void)
{
    csp_bell_ring(&csp_node_procs(csp_rt.page)[0].bell);
}

int csp_auto_route(struct csp_win *w, const struct csp_op *op, MPI_Aint bytes)
{
    struct node *n = first(w, w->peers[op->target].node);
    if (CSP_UNLIKELY(!n))
        n = add(w, w->peers[op->target].node);
    int atomic = op->kind > CSP_OP_GET;
    if (atomic)
        enter(w, n);
    int off = (csp_gate_look(n->gate) & (atomic ? CSP_GATE_ACC_OFF : CSP_GATE_OFF)) != 0;
    int done = n->at_once && !off;
    csp_stats_add(done ? &n->done : &n->pending, 1 + (uint64_t)bytes / UNIT_BYTES);
    if (atomic && !done)
        stay(n, op->target);
    return off;
}

void csp_auto_issued(struct csp_win *w, const struct csp_op *op, int complete)
{
    struct node *n = first(w, w->peers[op->target].node);
    if (complete && !n->entered) {
        if (csp_gate_done(n->gate))
            tell_closed();
    } else if (!complete && csp_stats_threads) {
        _Atomic uint64_t *open = w->automatic->open; // before the gate counts it
        atomic_fetch_or_explicit(&open[op->target / 64], UINT64_C(1) << op->target % 64,
                                 memory_order_acq_rel);
        csp_gate_issued(n->gate);
    }
}

// The first rank of the node from `rank` on, and below `end`, that has something under way to itself, or -1: its bit is
// number `begin` + rank.
static int next_left(const struct csp_win *w, const struct node *n, const _Atomic uint64_t *words,
                     int begin, int rank, int end)
{
    while (rank < end) {
        int bit = begin + rank;
        uint64_t word = atomic_load_explicit(&words[bit / 64], memory_order_relaxed) >> bit % 64;
        if (word & 1 && w->peers[rank].node == n->number)
            return rank;
        rank += word ? 1 : 64 - bit % 64;
    }
    return -1;
}

// Whoever was found last is looked at first, and others from there on, so that flushes of one target after the other pass over
// them once.
static int any_left(const struct csp_win *w, struct node *n, const _Atomic uint64_t *words,
                    int begin)
{
    int found = next_left(w, n, words, begin, n->left, w->n);
    if (found < 0)
        found = next_left(w, n, words, begin, 0, n->left);
    n->left = found < 0 ? 0 : found;
    return found >= 0;
}

// Are operations to other targets of the node still under way? With several threads the executors' bits do not tell.
static int others_left(const struct csp_win *w, struct node *n)
{
    int ng = csp_rt.topo->ng;
    if (csp_stats_threads)
        return any_left(w, n, w->automatic->open, 0);
    for (int bit = n->number * ng; bit < (n->number + 1) * ng; bit++)
        if (csp_win_marked(w->used, bit) || csp_win_marked(w->soft, bit))
            return 1;
    return (csp_gate_look(n->gate) & CSP_GATE_ACC_OFF) &&
           any_left(w, n, w->used, csp_async_target(0));
}

// The target is forgotten first: an accumulate of another thread that begins now names its own, and keeps the
// gate busy.
static void leave(struct node *n, uint64_t seen)
{
    atomic_store_explicit(&n->target, NO_TARGET, memory_order_relaxed);
    if (!csp_gate_leave(n->gate, seen)) {
        atomic_store_explicit(&n->target, SEVERAL, memory_order_relaxed);
        return;
    }
    n->entered = 0;
    if (csp_gate_look(n->gate) & CSP_GATE_CLOSED)
        tell_closed();
}

// Units that were complete when they were issued. If the route has changed since, they are no figure of the new one.
static uint64_t take_done(struct node *n)
{
    if (!n->at_once)
        return 0;
    uint64_t units = atomic_exchange_explicit(&n->done, 0, memory_order_relaxed);
    return csp_gate_look(n->gate) & CSP_GATE_ACC_OFF ? 0 : units;
}

static void note_done(struct node *n)
{
    uint64_t units = take_done(n);
    if (units)
        csp_gate_waited(n->gate, 0, 0, units);
}

// A wait for several nodes is one for each of them, with either route: also for a node whose part was complete before.
static void begin(struct node *n, uint64_t now_ns)
{
    n->seen = csp_gate_look(n->gate);
    n->waits = atomic_exchange_explicit(&n->pending, 0, memory_order_relaxed) + take_done(n);
    int local = atomic_load_explicit(&n->local, memory_order_relaxed);
    n->wait_ns = n->waits || local ? now_ns : 0;
    if (n->wait_ns)
        csp_gate_wait(n->gate, now_ns);
}

static void end(struct node *n, uint64_t now_ns, int local)
{
    if (n->wait_ns)
        csp_gate_waited(n->gate, n->wait_ns, now_ns, n->waits);
    if (n->wait_ns || !local)
        atomic_store_explicit(&n->local, local, memory_order_relaxed);
    n->wait_ns = 0; // for a wait that began before this node was used
}

static int node_number(const struct csp_win *w, int target)
{
    return target < 0 ? ALL : w->peers[target].node;
}

static void release(struct csp_auto *a)
{
    if (csp_stats_threads)
        atomic_store_explicit(&a->flushing, 0, memory_order_release);
}

int csp_auto_wait_begin(struct csp_win *w, int node)
{
    struct csp_auto *a = w->automatic;
    if (!a ||
        (csp_stats_threads && atomic_exchange_explicit(&a->flushing, 1, memory_order_acquire)))
        return 0;
    uint64_t now_ns = csp_clock_ns();
    for (struct node *n = first(w, node); n; n = next(n, node))
        begin(n, now_ns);
    return 1;
}

void csp_auto_wait_end(struct csp_win *w, int node)
{
    uint64_t now_ns = csp_clock_ns();
    for (struct node *n = first(w, node); n; n = next(n, node))
        end(n, now_ns, 1);
    release(w->automatic);
}

enum { MEASURES = 1, COUNTED = 2 };

// Several threads, before a flush: what is open when no flush goes on any more was issued since.
static void close_targets(struct csp_win *w, int target)
{
    _Atomic uint64_t *open = w->automatic->open;
    pthread_mutex_lock(&w->automatic->lock);
    w->automatic->flushes++;
    if (target >= 0)
        atomic_fetch_and_explicit(&open[target / 64], ~(UINT64_C(1) << target % 64),
                                  memory_order_acq_rel);
    for (int i = 0; target < 0 && i < (w->n + 63) / 64; i++)
        atomic_exchange_explicit(&open[i], 0, memory_order_acq_rel);
    pthread_mutex_unlock(&w->automatic->lock);
}

// The last one leaves for all: what each gate has counted by then is open, or was completed by one of the flushes.
static void leave_if_last(struct csp_win *w, int node)
{
    struct csp_auto *a = w->automatic;
    pthread_mutex_lock(&a->lock);
    int last = --a->flushes == 0;
    node = a->deferred ? ALL : node;
    a->deferred = !last;
    for (struct node *n = last ? first(w, node) : NULL; n; n = next(n, node)) {
        uint64_t seen = csp_gate_look(n->gate);
        if (target_of(n) != NO_TARGET && !others_left(w, n))
            leave(n, seen);
    }
    pthread_mutex_unlock(&a->lock);
}

int csp_auto_flush_begin(struct csp_win *w, int target)
{
    int counted = w->automatic && csp_stats_threads;
    if (counted)
        close_targets(w, target);
    return (csp_auto_wait_begin(w, node_number(w, target)) ? MEASURES : 0) |
           (counted ? COUNTED : 0);
}

void csp_auto_flush_end(struct csp_win *w, int target, int how)
{
    int node = node_number(w, target);
    uint64_t now_ns = csp_clock_ns();
    for (struct node *n = how & MEASURES ? first(w, node) : NULL; n; n = next(n, node)) {
        end(n, now_ns, 0);
        int of = target_of(n);
        if (!(how & COUNTED) && of != NO_TARGET &&
            (target < 0 || of == target || !others_left(w, n)))
            leave(n, n->seen);
    }
    if (how & MEASURES)
        release(w->automatic);
    if (how & COUNTED)
        leave_if_last(w, node);
}

void csp_auto_flush_nothing(struct csp_win *w, int target)
{
    if (!w->automatic || csp_stats_threads)
        return;
    int node = node_number(w, target);
    for (struct node *n = first(w, node); n; n = next(n, node)) {
        note_done(n);
        if (target_of(n) == NO_TARGET || others_left(w, n))
            continue;
        leave(n, csp_gate_look(n->gate));
    }
}

void csp_auto_waited(struct csp_win *w, int node, uint64_t since_ns)
{
    struct node *n = w->automatic ? first(w, node) : NULL;
    if (!n || since_ns <= atomic_load_explicit(&n->last_ns, memory_order_relaxed))
        return;
    uint64_t now_ns = csp_clock_ns();
    csp_gate_waited(n->gate, since_ns, now_ns,
                    atomic_exchange_explicit(&n->pending, 0, memory_order_relaxed));
    atomic_store_explicit(&n->last_ns, now_ns, memory_order_relaxed);
    atomic_store_explicit(&n->local, 1, memory_order_relaxed);
}
