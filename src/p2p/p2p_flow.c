// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "p2p/p2p_flow.h"

#include "base/clock.h"
#include "p2p/p2p.h"
#include "p2p/p2p_comm.h"
#include "runtime/changes.h"
#include "runtime/node.h"
#include "runtime/rt.h"
#include "runtime/stats.h"
#include "runtime/wait.h"

enum { LARGE = 16384 }; // bytes of a message that is worth a look at how long it is waited for

// Of the communicators with all users, if one thread alone calls MPI: their collective calls have one order.
static struct csp_p2p_flow world;

// Messages that were cancelled, and nobody knows which.
static _Atomic uint64_t lost;

// Large messages that are on their way, of this thread. As many waits may be for them.
static _Thread_local struct {
    int n, waited;
    MPI_Comm comm; // of the last one; which may be freed by now,
    uint64_t context, since_ns;
} large;

static void begin(struct csp_p2p_flow *f)
{
    *f = (struct csp_p2p_flow){.began_ns = csp_clock_ns()};
    csp_traffic_init(&f->traffic, csp_config.p2p_method == CSP_CONFIG_P2P_METHOD_ALTERNATE);
}

struct csp_p2p_flow *csp_p2p_flow_of(const struct csp_p2p_comm *c, struct csp_p2p_flow *own)
{
    int all = c->members->n == csp_rt.topo->nusers;
    struct csp_p2p_flow *f = all && !csp_rt.threads ? &world : own;
    if (!f->began_ns)
        begin(f);
    return f;
}

void csp_p2p_flow_end(struct csp_p2p_flow *f)
{
    if (atomic_load_explicit(&f->way, memory_order_relaxed) == CSP_P2P_GHOSTS)
        csp_node_carry_flow(csp_rt.page, 0);
}

void csp_p2p_flow_stop(void)
{
    csp_p2p_flow_end(&world);
    world.began_ns = 0;
    atomic_store(&lost, 0);
}

static inline uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

// The same number at the sender and at the receiver; a sum of them is 0 only if each has its counterpart. The factors are odd and have
// nothing to do with each other, so that two messages hardly have one number before it is mixed.
static inline uint64_t name_of(const struct csp_p2p_comm *c, int source, int dest, int tag)
{
    return mix(c->context + (uint64_t)(uint32_t)source * 0x9e3779b97f4a7c15u +
               (uint64_t)(uint32_t)dest * 0xc2b2ae3d27d4eb4fu +
               (uint64_t)(uint32_t)tag * 0x165667b19e3779f9u);
}

static inline uint64_t name_received(const struct csp_post *p, int source, int tag)
{
    return 0 - name_of(p->comm, source, p->comm->members->rank, tag);
}

static int is_message(const struct csp_post *p)
{
    return p->call == CSP_P2P_BLOCKS || p->call == CSP_P2P_BEGINS;
}

// Other threads look at the way and the counters in the order in which they were written.
static inline void add(_Atomic uint64_t *counter, uint64_t n)
{
    if (csp_stats_threads)
        atomic_fetch_add(counter, n);
    else
        csp_stats_add(counter, n);
}

static inline void add_name(struct csp_p2p_comm *c, uint64_t name)
{
    add(&c->sum.balance, name);
    if (c->flow)
        add(&c->flow->sum.balance, name);
}

static void add_open(struct csp_p2p_comm *c, int n)
{
    atomic_fetch_add(&c->sum.open, n);
    if (c->flow)
        atomic_fetch_add(&c->flow->sum.open, n);
}

static inline uint64_t name(const struct csp_post *p)
{
    return p->mode == CSP_P2P_RECV ? name_received(p, p->peer, p->tag)
                                   : name_of(p->comm, p->comm->members->rank, p->peer, p->tag);
}

static inline void note(struct csp_post *p)
{
    int wild = p->mode == CSP_P2P_RECV && (p->peer == MPI_ANY_SOURCE || p->tag == MPI_ANY_TAG);
    p->open = p->call != CSP_P2P_ASKS && (wild || !is_message(p));
    if (p->open)
        add_open(p->comm, 1);
    else if (is_message(p))
        add_name(p->comm, name(p));
}

static void take_back(const struct csp_post *p)
{
    if (p->open)
        add_open(p->comm, -1);
    else if (is_message(p))
        add_name(p->comm, 0 - name(p));
}

static int is_large(const struct csp_post *p)
{
    struct csp_type store;
    const struct csp_type *t;
    return p->call == CSP_P2P_BEGINS && csp_type_look(p->type, &store, &t) == MPI_SUCCESS &&
           (uint64_t)p->count * (uint64_t)t->size >= LARGE;
}

static inline void count(const struct csp_post *p, int way)
{
    struct csp_p2p_flow *f = p->comm->flow;
    if (!is_message(p))
        return;
    if (p->mode != CSP_P2P_RECV) {
        csp_stats_add(&f->messages, 1);
        csp_stats_add(&f->elements, (uint64_t)p->count);
    }
    if (way == CSP_P2P_GHOSTS || !is_large(p))
        return;
    large.n = large.waited ? 1 : large.n + 1;
    large.waited = 0;
    large.comm = p->comm->handle;
    large.context = p->comm->context;
    large.since_ns = csp_clock_ns();
}

// A look at the flow's sums waits until the call has changed them (end_note), or it until the look is over. @return the way,
// which stays until then.
static int begin_note_beside_threads(struct csp_p2p_flow *f)
{
    struct csp_wait w;
    csp_wait_begin(&w, "another thread to decide who carries the messages");
    for (;;) {
        atomic_fetch_add(&f->noting, 1);
        int way = atomic_load(&f->way);
        if (CSP_LIKELY(way != CSP_P2P_HELD))
            return way;
        atomic_fetch_sub(&f->noting, 1);
        csp_wait_turn(&w);
    }
}

static inline int begin_note(struct csp_p2p_flow *f)
{
    if (!f)
        return CSP_P2P_GHOSTS;
    return csp_stats_threads ? begin_note_beside_threads(f)
                             : atomic_load_explicit(&f->way, memory_order_relaxed);
}

static void end_note(struct csp_p2p_flow *f)
{
    if (f && csp_stats_threads)
        atomic_fetch_sub(&f->noting, 1);
}

int csp_p2p_flow_enter(struct csp_post *p, struct csp_post *other)
{
    struct csp_p2p_flow *f = p->comm->flow;
    int way = begin_note(f);
    note(p);
    if (other)
        note(other);
    if (f) // before another thread can change it
        p->changes = atomic_load_explicit(&f->changes, memory_order_relaxed);
    end_note(f);
    p->way = way;
    if (!f)
        return 1;
    count(p, way);
    if (other)
        count(other, way);
    return way == CSP_P2P_GHOSTS;
}

void csp_p2p_flow_take_back(const struct csp_post *p)
{
    if (p->peer != MPI_PROC_NULL) // of a send and receive: that half was not noted
        take_back(p);
}

// Nobody knows how far it got, unless the message was there and only too long: the flow stays as it is.
void csp_p2p_failed(const struct csp_post *p, int rc)
{
    int class = MPI_ERR_OTHER;
    if (!p->comm || !is_message(p))
        return;
    csp_mpi.Error_class(rc, &class);
    if (!p->open && class != MPI_ERR_TRUNCATE)
        add_open(p->comm, 1);
}

int csp_p2p_flow_started(struct csp_post *p)
{
    p->call = CSP_P2P_BEGINS;
    return csp_p2p_flow_enter(p, NULL);
}

void csp_p2p_flow_met(struct csp_post *p, int took, int source, int tag)
{
    if (!p->open)
        return;
    if (took)
        add_name(p->comm, p->mode == CSP_P2P_RECV ? name_received(p, source, tag) : name(p));
    add_open(p->comm, -1);
    p->open = 0;
}

int csp_p2p_flow_cancel(struct csp_post *p)
{
    struct csp_p2p_flow *f = p->comm->flow;
    // Of a matched message, and of no message, nothing was noted.
    if (p->open || p->call != CSP_P2P_BEGINS || p->peer == MPI_PROC_NULL)
        return 1;
    begin_note(f);
    // Before a change every message was sent: this one is on its way, and comes.
    int in_time = !f || p->changes == atomic_load_explicit(&f->changes, memory_order_relaxed);
    if (in_time) {
        add_open(p->comm, 1);
        add_name(p->comm, 0 - name(p));
        p->open = 1;
    }
    end_note(f);
    return in_time;
}

void csp_p2p_flow_lost(void)
{
    if (atomic_fetch_add(&lost, 1) == 0)
        csp_info("CSP_P2P=auto: who carries messages stays as it is, since the program cancelled "
                 "one that the MPI library has");
}

void csp_p2p_flow_unsettled(const struct csp_p2p_comm *c, uint64_t sum[2])
{
    sum[0] = atomic_load(&c->sum.balance);
    sum[1] = (uint64_t)atomic_load(&c->sum.open) + (c->flow ? atomic_load(&lost) : 0);
}

// What all processes add up.
enum { BALANCE, OPEN, NS, HIDDEN, MESSAGES, ELEMENTS, FIGURES };

static void note_change(const struct csp_p2p_comm *c, int way)
{
    if (c->members->rank == 0)
        csp_change_note((struct csp_change){.gid = c->context,
                                            .who = c->members->n,
                                            .by = CSP_CHANGE_MESSAGES,
                                            .off = way == CSP_P2P_LIBRARY,
                                            .with = c->flow->traffic.ghosts_ns,
                                            .without = c->flow->traffic.library.ns});
}

// All processes of the communicator are here. Messages of other threads wait until it is over.
static void look(struct csp_p2p_comm *c)
{
    struct csp_p2p_flow *f = c->flow;
    int before = atomic_load_explicit(&f->way, memory_order_relaxed), rc = MPI_SUCCESS;
    if (csp_rt.threads) { // how all processes decide must be the same
        rc = csp_mpi.Barrier(c->handle);
        atomic_store(&f->way, CSP_P2P_HELD);
    }
    while (atomic_load(&f->noting) > 0)
        csp_cpu_relax();
    // In this order: a thread that learns what its call met adds the name first (csp_p2p_flow_met).
    uint64_t open = (uint64_t)atomic_load(&f->sum.open) + atomic_load(&lost);
    uint64_t n = (uint64_t)c->members->n, all[FIGURES] = {0};
    uint64_t mine[FIGURES] = {[BALANCE] = atomic_load(&f->sum.balance),
                              [OPEN] = open,
                              [NS] = csp_clock_ns() - f->began_ns,
                              [HIDDEN] = atomic_exchange(&f->hidden_ns, 0),
                              [MESSAGES] = atomic_exchange(&f->messages, 0),
                              [ELEMENTS] = atomic_exchange(&f->elements, 0)};
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.Allreduce(mine, all, FIGURES, MPI_UINT64_T, MPI_SUM, c->handle);
    CSP_CHECK(rc == MPI_SUCCESS, "the processes of a communicator could not agree on CSP_P2P=auto");
    struct csp_traffic_look l = {.calls = f->calls,
                                 .ns = all[NS] / n,
                                 .hidden_ns = all[HIDDEN] / n,
                                 .messages = all[MESSAGES],
                                 .elements = all[ELEMENTS],
                                 .quiet = all[BALANCE] == 0 && all[OPEN] == 0};
    int now = csp_traffic_look(&f->traffic, &l) ? CSP_P2P_GHOSTS : CSP_P2P_LIBRARY;
    f->calls = 0;
    f->began_ns = csp_clock_ns();
    if (now != before) {
        atomic_fetch_add_explicit(&f->changes, 1, memory_order_relaxed);
        csp_node_carry_flow(csp_rt.page, now == CSP_P2P_GHOSTS);
        note_change(c, now);
    }
    atomic_store(&f->way, now);
}

void csp_p2p_collective(MPI_Comm comm)
{
    struct csp_p2p_comm *c = csp_p2p_comm_find(comm);
    if (c && c->flow && ++c->flow->calls >= c->flow->traffic.calls)
        look(c);
}

int csp_p2p_large(void)
{
    return large.n > 0;
}

void csp_p2p_waited(uint64_t since_ns)
{
    uint64_t waited = csp_clock_ns() - since_ns, room = since_ns - large.since_ns;
    uint64_t hidden = waited < room ? waited : room;
    csp_p2p_comms_lock(); // another thread may be freeing it
    const struct csp_p2p_comm *c = csp_p2p_comm_find(large.comm);
    if (c && c->flow && c->context == large.context)
        csp_stats_add(&c->flow->hidden_ns, hidden);
    csp_p2p_comms_unlock();
    large.since_ns = since_ns + waited - (room - hidden); // what room is left for the next wait
    large.waited = 1;
    large.n--;
}
