// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "p2p/p2p_cells.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/node.h"
#include "runtime/rt.h"
#include "runtime/wait.h"

enum { SMALL, LARGE, SIZES, SLAB = 64 }; // SLAB: cells made at a time

// Private to this process: what the segment's memory is used for.
struct list {
    struct csp_cell *first, **last;
};

static struct csp_cell *idle[SIZES];
// Cells that nobody waits for, in the order in which they were posted; those with copies of the data apart,
// which shall go soon.
static struct list left = {.last = &left.first}, copied = {.last = &copied.first};
static struct csp_ring *ring;
static struct csp_bell *bell; // the ghost's
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, post_lock = PTHREAD_MUTEX_INITIALIZER;

// Other processes never read it.
static struct csp_cell **link_of(struct csp_cell *c)
{
    return (struct csp_cell **)(void *)&c->next_private;
}

static void acquire(pthread_mutex_t *m)
{
    if (csp_stats_threads)
        pthread_mutex_lock(m);
}

static void release(pthread_mutex_t *m)
{
    if (csp_stats_threads)
        pthread_mutex_unlock(m);
}

static size_t payload_of(int size)
{
    return size == SMALL ? CSP_CELL_SMALL : CSP_CELL_LARGE;
}

static uint64_t payload_off(const struct csp_cell *c)
{
    return csp_cell_off(c) + offsetof(struct csp_cell, payload);
}

int csp_cells_start(void)
{
    struct csp_node_proc *procs = csp_node_procs(csp_rt.page);
    uint64_t off = csp_heap_alloc(csp_rt.heap, sizeof(*ring), 64);
    if (off == CSP_OFF_NONE)
        return 0;
    ring = (struct csp_ring *)((char *)csp_rt.pool.base + off);
    memset(ring, 0, sizeof(*ring));
    bell = &procs[csp_topo_bound_gidx(csp_rt.topo, csp_rt.wrank)].bell;
    /* release: pairs with the acquire in the ghost's turn */
    atomic_store_explicit(&procs[csp_rt.lrank].ring_off, off, memory_order_release);
    return 1;
}

static void give(struct csp_cell *c)
{
    int size = c->room == CSP_CELL_SMALL ? SMALL : LARGE;
    if (c->layout_off && c->layout_off != payload_off(c))
        csp_heap_free(csp_rt.heap, c->layout_off);
    free((void *)(uintptr_t)c->copy_private); // NOLINT: of this process
    c->copy_private = 0;
    c->layout_off = 0;
    *link_of(c) = idle[size];
    idle[size] = c;
}

// Cells that were left and are done by now.
static void collect(struct list *list)
{
    for (struct csp_cell **at = &list->first; *at;) {
        struct csp_cell *c = *at;
        if (!csp_cell_done(c)) {
            at = link_of(c);
            continue;
        }
        *at = *link_of(c);
        if (list->last == link_of(c))
            list->last = at;
        give(c);
    }
}

static int copies_left(void)
{
    acquire(&lock);
    collect(&copied);
    int yes = copied.first != NULL;
    release(&lock);
    return yes;
}

void csp_cells_stop(void)
{
    struct csp_wait w;
    csp_wait_begin(&w, "MPI_Finalize: a ghost to take the messages of this process");
    while (!csp_ring_empty(ring))
        csp_wait_turn(&w);
    csp_wait_begin(&w, "MPI_Finalize: messages of this process to be received");
    while (copies_left())
        csp_wait_turn(&w);
}

static void make_slab(int size)
{
    size_t bytes = sizeof(struct csp_cell) + payload_of(size);
    uint64_t off = csp_heap_alloc(csp_rt.heap, SLAB * bytes, 64);
    CSP_CHECK(off != CSP_OFF_NONE,
              "the node's segment has no room for messages under way: raise CSP_POOL_SIZE");
    for (size_t i = 0; i < SLAB; i++) {
        struct csp_cell *c = csp_cell_at(off + i * bytes);
        memset(c, 0, sizeof(*c));
        c->room = (uint32_t)payload_of(size);
        give(c);
    }
}

struct csp_cell *csp_cell_take(size_t payload)
{
    int size = payload <= CSP_CELL_SMALL ? SMALL : LARGE;
    acquire(&lock);
    if (!idle[size])
        collect(&left);
    if (!idle[size])
        make_slab(size);
    struct csp_cell *c = idle[size];
    idle[size] = *link_of(c);
    release(&lock);
    uint32_t room = c->room;
    memset(c, 0, offsetof(struct csp_cell, payload));
    c->room = room;
    c->lrank = csp_rt.lrank;
    return c;
}

void csp_cell_give(struct csp_cell *c)
{
    acquire(&lock);
    give(c);
    release(&lock);
}

void csp_cell_leave(struct csp_cell *c)
{
    struct list *list = c->copy_private ? &copied : &left;
    acquire(&lock);
    *link_of(c) = NULL;
    *list->last = c;
    list->last = link_of(c);
    collect(&copied);
    release(&lock);
}

void csp_cell_layout(struct csp_cell *c, const void *layout, size_t bytes)
{
    int behind = bytes <= c->room && c->kind != CSP_CELL_UNATTENDED;
    c->layout_off = behind ? payload_off(c) : csp_heap_alloc(csp_rt.heap, bytes, 64);
    CSP_CHECK(c->layout_off != CSP_OFF_NONE,
              "the node's segment has no room for a datatype: raise CSP_POOL_SIZE");
    memcpy((char *)csp_rt.pool.base + c->layout_off, layout, bytes);
}

void csp_cell_post(struct csp_cell *c)
{
    atomic_store_explicit(&c->state, CSP_CELL_POSTED, memory_order_relaxed);
    acquire(&post_lock);
    if (!csp_ring_put(ring, csp_cell_off(c))) {
        struct csp_wait w;
        csp_wait_begin(&w, "a ghost to take one of %ld messages", (long)CSP_RING_SLOTS);
        while (!csp_ring_put(ring, csp_cell_off(c)))
            csp_wait_turn(&w);
    }
    release(&post_lock);
    csp_bell_ring(bell);
}
