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
    UNIT_BYTES = 4096, // cost as much as one more operation
    NO_TARGET = -1,
    SEVERAL = -2
};

// The targets of a node.
struct node {
    struct node *next;
    int number;
    struct csp_gate *gate;
    int entered;              // one thread: accumulates are under way
    _Atomic int target;       // of those; NO_TARGET, SEVERAL
    _Atomic uint64_t pending; // units that are under way
    uint64_t seen;            // of the gate when the flush began,
    uint64_t flush_ns;        // 0: nothing was under way
    uint64_t flushes;         // units
};

struct csp_auto {
    pthread_mutex_t lock;           // for the list
    _Atomic int flushing;           // a thread that measures
    struct csp_gate *gates;         // of this process, [number of a node in the window]
    struct node *_Atomic list;      // only grows
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
    a->gates = (struct csp_gate *)w->routes + before * w->members->nnodes;
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

static struct node *node_of(const struct csp_win *w, int target)
{
    return atomic_load_explicit(&w->automatic->of_node[w->peers[target].node],
                                memory_order_acquire);
}

static void note_target(struct node *n, int target)
{
    int none = NO_TARGET;
    if (!atomic_compare_exchange_strong_explicit(&n->target, &none, target, memory_order_relaxed,
                                                 memory_order_relaxed) &&
        none != target)
        atomic_store_explicit(&n->target, SEVERAL, memory_order_relaxed);
}

static void enter(struct csp_win *w, struct node *n, int target)
{
    if (n->entered && atomic_load_explicit(&n->target, memory_order_relaxed) == target)
        return;
    while (!n->entered && !csp_gate_enter(n->gate))
        await_gate(w, n, CSP_GATE_CLOSED, 0,
                   "accumulate: first ghost of node %ld to change the route of window %ld");
    note_target(n, target);
    if (csp_stats_threads || n->entered)
        return;
    csp_gate_issued(n->gate); // whoever flushes is this thread
    n->entered = 1;
}

int csp_auto_route(struct csp_win *w, const struct csp_op *op, MPI_Aint bytes)
{
    struct node *n = node_of(w, op->target);
    if (CSP_UNLIKELY(!n))
        n = add(w, w->peers[op->target].node);
    csp_stats_add(&n->pending, 1 + (uint64_t)bytes / UNIT_BYTES);
    if (op->kind <= CSP_OP_GET)
        return (csp_gate_look(n->gate) & CSP_GATE_OFF) != 0;
    enter(w, n, op->target);
    return (csp_gate_look(n->gate) & CSP_GATE_ACC_OFF) != 0;
}

void csp_auto_issued(struct csp_win *w, const struct csp_op *op)
{
    if (csp_stats_threads)
        csp_gate_issued(node_of(w, op->target)->gate);
}

// Are accumulates to other targets of the node still under way? By ghosts that is soon known; to look at all
// targets takes time, so only if somebody waits for the answer.
static int others_left(const struct csp_win *w, const struct node *n)
{
    int ng = csp_rt.topo->ng;
    for (int bit = n->number * ng; bit < (n->number + 1) * ng; bit++)
        if (csp_win_marked(w->used, bit))
            return 1;
    uint64_t word = csp_gate_look(n->gate);
    if (!(word & CSP_GATE_ACC_OFF))
        return 0;
    if (!(word & CSP_GATE_WANTED))
        return 1;
    for (int i = 0; i < w->n; i++)
        if (w->peers[i].node == n->number && csp_win_marked(w->used, csp_async_target(i)))
            return 1;
    return 0;
}

// The target is forgotten first: an accumulate of another thread that begins now names its own, and keeps the
// gate busy.
static void leave(struct node *n)
{
    atomic_store_explicit(&n->target, NO_TARGET, memory_order_relaxed);
    if (!csp_gate_leave(n->gate, n->seen)) {
        atomic_store_explicit(&n->target, SEVERAL, memory_order_relaxed);
        return;
    }
    n->entered = 0;
    if (csp_gate_look(n->gate) & CSP_GATE_CLOSED) // the ghost waits for it
        csp_bell_ring(&csp_node_procs(csp_rt.page)[0].bell);
}

static void begin(struct node *n, uint64_t now_ns)
{
    n->seen = csp_gate_look(n->gate);
    n->flushes = atomic_exchange_explicit(&n->pending, 0, memory_order_relaxed);
    n->flush_ns = n->flushes ? now_ns : 0;
    if (n->flushes)
        csp_gate_wait(n->gate, now_ns);
}

static void end(struct csp_win *w, struct node *n, int target, uint64_t now_ns)
{
    if (n->flush_ns)
        csp_gate_waited(n->gate, n->flush_ns, now_ns, n->flushes);
    n->flush_ns = 0; // for a flush that began before this node was used
    int of = atomic_load_explicit(&n->target, memory_order_relaxed);
    if (of != NO_TARGET && (target < 0 || of == target || !others_left(w, n)))
        leave(n);
}

int csp_auto_flush_begin(struct csp_win *w, int target)
{
    struct csp_auto *a = w->automatic;
    if (!a ||
        (csp_stats_threads && atomic_exchange_explicit(&a->flushing, 1, memory_order_acquire)))
        return 0;
    uint64_t now_ns = csp_clock_ns();
    for (struct node *n = target < 0 ? a->list : node_of(w, target); n;
         n = target < 0 ? n->next : NULL)
        begin(n, now_ns);
    return 1;
}

void csp_auto_flush_end(struct csp_win *w, int target)
{
    struct csp_auto *a = w->automatic;
    uint64_t now_ns = csp_clock_ns();
    for (struct node *n = target < 0 ? a->list : node_of(w, target); n;
         n = target < 0 ? n->next : NULL)
        end(w, n, target, now_ns);
    if (csp_stats_threads)
        atomic_store_explicit(&a->flushing, 0, memory_order_release);
}
