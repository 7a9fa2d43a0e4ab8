// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// From the program's MPI_Win to ours: an open-addressing table read without a lock. Writers hold a
// mutex; a table that is replaced stays if there may be readers in it, other threads.
#include "rma/rma_win.h"

#include <stdlib.h>
#include "rma/rma_early.h"
#include "runtime/stats.h"

struct entry {
    _Atomic uintptr_t key; // MPI_Win as an integer; 0: never used, 1: was used
    _Atomic(struct csp_win *) win;
};

struct table {
    struct table *older; // replaced by this one
    unsigned mask, used; // used: keys ever set, so that a probe ends
    struct entry entries[];
};

static _Atomic(struct table *) current;
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;

static unsigned hash(uintptr_t key)
{
    uint64_t h = (uint64_t)key * 0x9e3779b97f4a7c15u;
    return (unsigned)(h >> 32);
}

struct csp_win *csp_win_find(MPI_Win win)
{
    struct table *t = atomic_load_explicit(&current, memory_order_acquire);
    uintptr_t key = (uintptr_t)win;
    if (!t || key <= 1)
        return NULL;
    for (unsigned i = hash(key);; i++) {
        struct entry *e = &t->entries[i & t->mask];
        uintptr_t k = atomic_load_explicit(&e->key, memory_order_acquire);
        if (k == key)
            return atomic_load_explicit(&e->win, memory_order_acquire);
        if (k == 0)
            return NULL;
    }
}

// A key that is there already belongs to a carrier that is being freed (see csp_win_forget).
static void put(struct table *t, uintptr_t key, struct csp_win *w)
{
    struct entry *free_entry = NULL, *e;
    for (unsigned i = hash(key);; i++) {
        e = &t->entries[i & t->mask];
        uintptr_t k = atomic_load_explicit(&e->key, memory_order_relaxed);
        if (k == key || k == 0)
            break;
        if (k == 1 && !free_entry)
            free_entry = e;
    }
    if (free_entry && atomic_load_explicit(&e->key, memory_order_relaxed) != key)
        e = free_entry;
    if (atomic_load_explicit(&e->key, memory_order_relaxed) == 0)
        t->used++;
    atomic_store_explicit(&e->win, w, memory_order_release);
    atomic_store_explicit(&e->key, key, memory_order_release); // release: pairs with csp_win_find
}

// Caller holds `writers`. Keeps at least half of the table empty.
static void make_room(void)
{
    struct table *old = atomic_load_explicit(&current, memory_order_relaxed);
    if (old && old->used * 2 <= old->mask)
        return;
    unsigned live = 0;
    for (unsigned i = 0; old && i <= old->mask; i++)
        live += atomic_load_explicit(&old->entries[i].key, memory_order_relaxed) > 1;
    unsigned size = 64;
    while (size < live * 8)
        size *= 2;
    struct table *t = calloc(1, sizeof(*t) + size * sizeof(t->entries[0]));
    CSP_CHECK(t, "out of memory for the window table");
    t->mask = size - 1;
    for (unsigned i = 0; old && i <= old->mask; i++) {
        uintptr_t key = atomic_load_explicit(&old->entries[i].key, memory_order_relaxed);
        if (key > 1)
            put(t, key, atomic_load_explicit(&old->entries[i].win, memory_order_relaxed));
    }
    if (csp_stats_threads)
        t->older = old;
    else
        free(old);
    atomic_store_explicit(&current, t, memory_order_release);
}

// The live windows by gid, for message handlers; under the lock of rma_early.h.
enum { BUCKETS = 256 };
static struct csp_win *by_gid[BUCKETS];

static struct csp_win **bucket(uint64_t gid)
{
    return &by_gid[hash((uintptr_t)gid) % BUCKETS];
}

struct csp_win *csp_win_by_gid(uint64_t gid)
{
    struct csp_win *w = *bucket(gid);
    while (w && w->gid != gid)
        w = w->next_by_gid;
    return w;
}

void csp_win_each(void (*visit)(struct csp_win *))
{
    for (int i = 0; i < BUCKETS; i++)
        for (struct csp_win *w = by_gid[i]; w; w = w->next_by_gid)
            visit(w);
}

void csp_win_register(struct csp_win *w)
{
    pthread_mutex_lock(&writers);
    make_room();
    w->key = (uintptr_t)w->handle;
    put(atomic_load_explicit(&current, memory_order_relaxed), w->key, w);
    pthread_mutex_unlock(&writers);
    csp_early_lock();
    w->next_by_gid = *bucket(w->gid);
    *bucket(w->gid) = w;
    csp_early_replay(w);
    csp_early_unlock();
}

void csp_win_forget(struct csp_win *w)
{
    csp_early_lock();
    struct csp_win **at = bucket(w->gid);
    while (*at != w)
        at = &(*at)->next_by_gid;
    *at = w->next_by_gid;
    csp_early_unlock();
    // The carrier is freed already: another thread's new carrier may have the same handle by now.
    pthread_mutex_lock(&writers);
    struct table *t = atomic_load_explicit(&current, memory_order_relaxed);
    for (unsigned i = 0; i <= t->mask; i++) {
        struct entry *e = &t->entries[(hash(w->key) + i) & t->mask];
        uintptr_t k = atomic_load_explicit(&e->key, memory_order_relaxed);
        if (k == 0)
            break;
        if (k != w->key || atomic_load_explicit(&e->win, memory_order_relaxed) != w)
            continue;
        atomic_store_explicit(&e->key, 1, memory_order_release);
        break;
    }
    pthread_mutex_unlock(&writers);
}
