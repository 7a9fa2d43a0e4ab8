// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "base/handles.h"

#include <stdlib.h>
#include "base/log.h"

void *csp_handles_probe(struct csp_handles_table *t, uintptr_t key)
{
    for (unsigned i = csp_handles_hash(key) + 1;; i++) {
        struct csp_handle *e = &t->entries[i & t->mask];
        uintptr_t k = atomic_load_explicit(&e->key, memory_order_acquire);
        if (k == key)
            return atomic_load_explicit(&e->object, memory_order_acquire);
        if (k == CSP_HANDLE_NEVER_USED)
            return NULL;
    }
}

static void put(struct csp_handles_table *t, uintptr_t key, void *object)
{
    struct csp_handle *reusable = NULL, *e;
    for (unsigned i = csp_handles_hash(key);; i++) {
        e = &t->entries[i & t->mask];
        uintptr_t k = atomic_load_explicit(&e->key, memory_order_relaxed);
        if (k == key || k == CSP_HANDLE_NEVER_USED)
            break;
        if (k == CSP_HANDLE_WAS_USED && !reusable)
            reusable = e;
    }
    if (reusable && atomic_load_explicit(&e->key, memory_order_relaxed) != key)
        e = reusable;
    t->used += atomic_load_explicit(&e->key, memory_order_relaxed) == CSP_HANDLE_NEVER_USED;
    atomic_store_explicit(&e->object, object, memory_order_release);
    /* release: pairs with the acquire in csp_handles_find and csp_handles_probe */
    atomic_store_explicit(&e->key, key, memory_order_release);
}

// Keeps at least half of the table empty. The caller is the only writer.
static struct csp_handles_table *with_room(struct csp_handles *h)
{
    struct csp_handles_table *old = atomic_load_explicit(&h->current, memory_order_relaxed);
    if (old && old->used * 2 <= old->mask)
        return old;
    unsigned live = 0, size = 64;
    for (unsigned i = 0; old && i <= old->mask; i++)
        live +=
            atomic_load_explicit(&old->entries[i].key, memory_order_relaxed) > CSP_HANDLE_WAS_USED;
    while (size < live * 8)
        size *= 2;
    struct csp_handles_table *t = calloc(1, sizeof(*t) + size * sizeof(t->entries[0]));
    CSP_CHECK(t, "out of memory for a table of handles");
    t->mask = size - 1;
    t->older = old;
    for (unsigned i = 0; old && i <= old->mask; i++) {
        uintptr_t key = atomic_load_explicit(&old->entries[i].key, memory_order_relaxed);
        if (key > CSP_HANDLE_WAS_USED)
            put(t, key, atomic_load_explicit(&old->entries[i].object, memory_order_relaxed));
    }
    atomic_store_explicit(&h->current, t, memory_order_release);
    return t;
}

void csp_handles_put(struct csp_handles *h, uintptr_t key, void *object)
{
    pthread_mutex_lock(&h->writers);
    put(with_room(h), key, object);
    pthread_mutex_unlock(&h->writers);
}

// Where a probe ends, places that were used are as good as new: nothing that a reader may look for lies behind them.
static void clear_behind(struct csp_handles_table *t, unsigned i)
{
    if (atomic_load_explicit(&t->entries[(i + 1) & t->mask].key, memory_order_relaxed) !=
        CSP_HANDLE_NEVER_USED)
        return;
    for (;; i--) {
        struct csp_handle *e = &t->entries[i & t->mask];
        if (atomic_load_explicit(&e->key, memory_order_relaxed) != CSP_HANDLE_WAS_USED)
            return;
        atomic_store_explicit(&e->key, CSP_HANDLE_NEVER_USED, memory_order_release);
        t->used--;
    }
}

void csp_handles_drop(struct csp_handles *h, uintptr_t key, const void *object)
{
    pthread_mutex_lock(&h->writers);
    struct csp_handles_table *t = atomic_load_explicit(&h->current, memory_order_relaxed);
    for (unsigned i = csp_handles_hash(key); t; i++) {
        struct csp_handle *e = &t->entries[i & t->mask];
        uintptr_t k = atomic_load_explicit(&e->key, memory_order_relaxed);
        if (k == CSP_HANDLE_NEVER_USED)
            break;
        if (k != key)
            continue;
        if (!object || atomic_load_explicit(&e->object, memory_order_relaxed) == object) {
            atomic_store_explicit(&e->key, CSP_HANDLE_WAS_USED, memory_order_release);
            clear_behind(t, i);
        }
        break;
    }
    pthread_mutex_unlock(&h->writers);
}
