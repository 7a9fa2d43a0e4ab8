// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "p2p/p2p_cells.h"

#include <stdlib.h>
#include <string.h>
#include "p2p/p2p_room.h"
#include "runtime/node.h"
#include "runtime/rt.h"
#include "runtime/threads.h"
#include "runtime/wait.h"

enum {
    SMALL,
    LARGE,
    SIZES,
    SLAB = 64,   // cells made at a time
    MANY = 1024, // large ones: from then on they are only for what needs one
    FEW = 4,     // cells with copies that each one left looks at
};

// Private to this process: what the segment's memory is used for.
struct list {
    struct csp_cell *first, **last;
    int count;
};

static struct csp_cell *idle[SIZES];
static int made_large;
// Cells that nobody waits for, those longest not looked at first; those with copies of the data apart, which shall go soon.
static struct list left = {.last = &left.first}, copied = {.last = &copied.first};
static struct csp_ring *ring;
static struct csp_bell *bell; // the ghost's
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, post_lock = PTHREAD_MUTEX_INITIALIZER;

// Other processes never read it.
static struct csp_cell **link_of(struct csp_cell *c)
{
    return (struct csp_cell **)(void *)&c->next_private;
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
    uint64_t off = csp_room_take(sizeof(*ring));
    if (off == CSP_OFF_NONE)
        return 0;
    ring = csp_cell_memory(off);
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
        csp_room_give(c->layout_off);
    free((void *)(uintptr_t)c->copy_private); // NOLINT: of this process
    c->copy_private = 0;
    c->layout_off = 0;
    *link_of(c) = idle[size];
    idle[size] = c;
}

static void append(struct list *list, struct csp_cell *c)
{
    *link_of(c) = NULL;
    *list->last = c;
    list->last = link_of(c);
    list->count++;
}

static struct csp_cell *take_first(struct list *list)
{
    struct csp_cell *c = list->first;
    list->first = *link_of(c);
    if (!list->first)
        list->last = &list->first;
    list->count--;
    return c;
}

// Looks at so many cells that were left; those that are done are free again.
static void collect(struct list *list, int most)
{
    for (int i = list->count < most ? list->count : most; i > 0; i--) {
        struct csp_cell *c = take_first(list);
        if (csp_cell_done(c))
            give(c);
        else
            append(list, c);
    }
}

// Moves the sends of one list to another; the others of it are forgotten.
static void move_sends(struct list *from, struct list *to)
{
    while (from->first) {
        struct csp_cell *c = take_first(from);
        if (c->kind == CSP_CELL_SEND)
            append(to, c);
    }
}

// The receiver's ghost sees to it that it is done.
static void copy(struct csp_cell *c)
{
    const struct csp_node_proc *procs = csp_node_procs(csp_rt.page);
    int sends = c->kind == CSP_CELL_SEND;
    const struct csp_cell *other = csp_cell_at(c->copy_off), *recv = sends ? other : c;
    struct csp_vm_side mine = csp_cell_side(c), theirs = csp_cell_side(other);
    int64_t bytes = (int64_t)recv->got_bytes;
    int ghost = csp_topo_bound_gidx(csp_rt.topo, procs[recv->lrank].wrank);
    enum csp_status s = csp_vm_copy(other->lrank, sends, &mine, 0, &theirs, 0, bytes);
    /* release: pairs with the acquire of that ghost */
    atomic_store_explicit(&c->copy, s == CSP_OK ? CSP_CELL_COPIED : CSP_CELL_REFUSED,
                          memory_order_release);
    csp_bell_ring(&csp_node_procs(csp_rt.page)[ghost].bell);
}

void csp_cell_attend(struct csp_cell *c)
{
    uint32_t offered = CSP_CELL_OFFERED;
    csp_cell_await(c);
    if (atomic_load_explicit(&c->copy, memory_order_relaxed) == offered &&
        /* acquire: pairs with the release of the ghost that offered */
        atomic_compare_exchange_strong_explicit(&c->copy, &offered, CSP_CELL_TAKEN,
                                                memory_order_acq_rel, memory_order_relaxed))
        copy(c);
}

void csp_cell_wait(struct csp_cell *c, struct csp_wait *w)
{
    csp_wait_rung(w, 1, NULL);
    while (!csp_cell_done(c)) {
        csp_cell_attend(c);
        csp_wait_turn(w);
    }
    csp_wait_end(w);
}

// Sends that nobody waited for: ghosts need this process, and each other, until they are received.
static void await_sends(void)
{
    struct list sends = {.last = &sends.first};
    struct csp_wait w;
    csp_threads_lock(&lock);
    collect(&left, left.count);
    collect(&copied, copied.count);
    move_sends(&left, &sends);
    move_sends(&copied, &sends);
    while (sends.first) {
        csp_wait_begin(&w, "MPI_Finalize: a message to rank %ld to be received",
                       (long)csp_topo_urank_of_wrank(csp_rt.topo)[sends.first->wrank]);
        csp_cell_wait(sends.first, &w);
        collect(&sends, sends.count);
    }
    csp_threads_unlock(&lock);
}

void csp_cells_stop(void)
{
    struct csp_wait w;
    csp_wait_begin(&w, "MPI_Finalize: a ghost to take the messages of this process");
    while (!csp_ring_empty(ring))
        csp_wait_turn(&w);
    await_sends();
}

// What helps if there is no room.
static const char *remedy(void)
{
    return csp_rt.pool.span > csp_rt.pool.bytes
               ? "the node has no memory left, or its segment cannot be made larger"
               : "with limited address space (ulimit -v) or /dev/shm there are 16 MB and a quarter "
                 "of CSP_POOL_SIZE for them: raise it";
}

static void make_slab(int size)
{
    size_t bytes = sizeof(struct csp_cell) + payload_of(size);
    uint64_t off = csp_room_take(SLAB * bytes);
    CSP_CHECK(off != CSP_OFF_NONE, "no room for messages under way: %s", remedy());
    made_large += size == LARGE ? SLAB : 0;
    for (size_t i = 0; i < SLAB; i++) {
        struct csp_cell *c = csp_cell_at(off + i * bytes);
        memset(c, 0, sizeof(*c));
        c->room = (uint32_t)payload_of(size);
        give(c);
    }
}

// Under the lock.
static struct csp_cell *take_idle(int size)
{
    if (!idle[size])
        collect(&left, left.count);
    if (!idle[size])
        make_slab(size);
    struct csp_cell *c = idle[size];
    idle[size] = *link_of(c);
    return c;
}

static struct csp_cell *take(size_t payload, int can_do_with_less)
{
    int size = payload <= CSP_CELL_SMALL ? SMALL : LARGE;
    csp_threads_lock(&lock);
    if (can_do_with_less && made_large >= MANY && !idle[LARGE])
        size = SMALL;
    struct csp_cell *c = take_idle(size);
    csp_threads_unlock(&lock);
    uint32_t room = c->room;
    memset(c, 0, offsetof(struct csp_cell, payload));
    c->room = room;
    c->lrank = csp_rt.lrank;
    return c;
}

struct csp_cell *csp_cell_take(size_t payload)
{
    return take(payload, 0);
}

struct csp_cell *csp_cell_take_any(size_t payload)
{
    return take(payload, 1);
}

void csp_cell_give(struct csp_cell *c)
{
    csp_threads_lock(&lock);
    give(c);
    csp_threads_unlock(&lock);
}

void csp_cell_leave(struct csp_cell *c)
{
    struct list *list = c->copy_private ? &copied : &left;
    csp_threads_lock(&lock);
    append(list, c);
    collect(&copied, FEW);
    csp_threads_unlock(&lock);
}

// A cell of that communicator, out of the list; NULL: there is none.
static struct csp_cell *take_of(struct list *list, uint64_t context)
{
    for (int i = list->count; i > 0; i--) {
        struct csp_cell *c = take_first(list);
        if (c->context == context)
            return c;
        append(list, c);
    }
    return NULL;
}

static struct csp_cell *take_left(uint64_t context)
{
    csp_threads_lock(&lock);
    struct csp_cell *c = take_of(&left, context);
    if (!c)
        c = take_of(&copied, context);
    csp_threads_unlock(&lock);
    return c;
}

void csp_cells_settle(uint64_t context)
{
    struct csp_cell *c;
    struct csp_wait w;
    while ((c = take_left(context))) {
        csp_wait_begin(&w, "MPI_Comm_disconnect: %ld bytes of a freed request", (long)c->bytes);
        csp_cell_wait(c, &w);
        csp_cell_give(c);
    }
}

void csp_cell_layout(struct csp_cell *c, const void *layout, size_t bytes)
{
    int behind = bytes <= c->room && c->kind != CSP_CELL_UNATTENDED;
    c->layout_off = behind ? payload_off(c) : csp_room_take(bytes);
    CSP_CHECK(c->layout_off != CSP_OFF_NONE, "no room for a datatype: %s", remedy());
    memcpy((char *)csp_rt.pool.base + c->layout_off, layout, bytes);
}

void csp_cell_post(struct csp_cell *c)
{
    atomic_store_explicit(&c->state, CSP_CELL_POSTED, memory_order_relaxed);
    csp_threads_lock(&post_lock);
    if (!csp_ring_put(ring, csp_cell_off(c))) {
        struct csp_wait w;
        csp_wait_begin(&w, "a ghost to take one of %ld messages", (long)CSP_RING_SLOTS);
        while (!csp_ring_put(ring, csp_cell_off(c)))
            csp_wait_turn(&w);
    }
    csp_threads_unlock(&post_lock);
    atomic_store_explicit(&ring->rings, 1, memory_order_relaxed); // csp_bell_ring has a fence
    csp_bell_ring(bell);
    atomic_store_explicit(&ring->rings, 0, memory_order_relaxed);
}
