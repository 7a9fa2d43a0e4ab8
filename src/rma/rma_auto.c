// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_auto.h"

#include "adapt/adapt.h"
#include "base/clock.h"
#include "runtime/meta.h"

enum {
    UNIT_BYTES = 4096, // cost as much as one more operation
    PROBE_EVERY = 20,  // intervals
    PROBE_SELDOM = 100,
};

struct node {
    struct node *next;
    int number;
    _Atomic uint64_t units;
    _Atomic int off; // what the controller said last
    struct csp_adapt adapt;
};

struct csp_auto {
    pthread_mutex_t lock;           // controllers and the list; nobody waits for it in a step
    struct node *_Atomic list;      // only grows
    struct node *_Atomic of_node[]; // [node number]
};

struct csp_auto *csp_auto_new(void)
{
    size_t nodes = (size_t)csp_rt.topo->nnodes;
    struct csp_auto *a =
        csp_meta_alloc(CSP_META_WINDOW, sizeof(*a) + nodes * sizeof(a->of_node[0]));
    pthread_mutex_init(&a->lock, NULL);
    return a;
}

void csp_auto_free(struct csp_auto *a)
{
    if (!a)
        return;
    struct node *next;
    for (struct node *n = a->list; n; n = next) {
        next = n->next;
        csp_meta_free(CSP_META_WINDOW, n);
    }
    pthread_mutex_destroy(&a->lock);
    csp_meta_free(CSP_META_WINDOW, a);
}

static struct csp_adapt_config settings(void)
{
    struct csp_adapt_config c = csp_adapt_defaults;
    c.interval_ns = (uint64_t)csp_config.predict_int * 1000;
    c.probe_every_ns = PROBE_EVERY * c.interval_ns;
    c.probe_seldom_ns = PROBE_SELDOM * c.interval_ns;
    return c;
}

// The first operation to a node.
static struct node *add(struct csp_auto *a, int number)
{
    pthread_mutex_lock(&a->lock);
    struct node *n = a->of_node[number];
    if (!n) {
        n = csp_meta_alloc(CSP_META_WINDOW, sizeof(*n));
        n->number = number;
        struct csp_adapt_config c = settings();
        csp_adapt_begin(&n->adapt, &c, CSP_ADAPT_ON, csp_clock_ns());
        n->next = a->list;
        atomic_store_explicit(&a->list, n, memory_order_release);
        atomic_store_explicit(&a->of_node[number], n, memory_order_release);
    }
    pthread_mutex_unlock(&a->lock);
    return n;
}

int csp_auto_route(struct csp_auto *a, int node, MPI_Aint bytes)
{
    struct node *n = atomic_load_explicit(&a->of_node[node], memory_order_acquire);
    if (CSP_UNLIKELY(!n))
        n = add(a, node);
    csp_stats_add(&n->units, 1 + (uint64_t)bytes / UNIT_BYTES);
    return atomic_load_explicit(&n->off, memory_order_relaxed);
}

static void say(const struct node *n, uint64_t gid)
{
    const struct csp_adapt_cost *cost = n->adapt.cost;
    csp_info("window %llu, node %d: redirection of PUT and GET is %s now: an operation takes %.1f "
             "us with and %.1f "
             "without it",
             (unsigned long long)gid, n->number, n->adapt.home == CSP_ADAPT_OFF ? "off" : "on",
             cost[CSP_ADAPT_ON].ns * 1e-3, cost[CSP_ADAPT_OFF].ns * 1e-3);
}

static void step(struct node *n, uint64_t gid, uint64_t now_ns)
{
    enum csp_adapt_route home = n->adapt.home;
    uint64_t units = atomic_load_explicit(&n->units, memory_order_relaxed);
    int off = csp_adapt_step(&n->adapt, now_ns, units) == CSP_ADAPT_OFF;
    atomic_store_explicit(&n->off, off, memory_order_relaxed);
    if (n->adapt.home != home)
        say(n, gid);
}

void csp_auto_step(struct csp_auto *a, uint64_t gid, int node)
{
    if (!atomic_load_explicit(&a->list, memory_order_acquire) ||
        pthread_mutex_trylock(&a->lock) != 0)
        return;
    uint64_t now_ns = csp_clock_ns();
    for (struct node *n = a->list; n; n = n->next)
        if (node < 0 || n->number == node)
            step(n, gid, now_ns);
    pthread_mutex_unlock(&a->lock);
}

int csp_auto_advice(const struct csp_auto *a, int otherwise)
{
    uint64_t most = 0;
    for (const struct node *n = a->list; n; n = n->next) {
        uint64_t units = atomic_load_explicit(&n->units, memory_order_relaxed);
        if (n->adapt.cost[CSP_ADAPT_ON].n > 0 && n->adapt.cost[CSP_ADAPT_OFF].n > 0 &&
            units > most) {
            most = units;
            otherwise = n->adapt.home == CSP_ADAPT_OFF;
        }
    }
    return otherwise;
}
