// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// From a handle, as a number, to an object: open addressing, read without a lock. Writers hold a mutex; tables
// that were replaced stay, because there may be readers in them. Any thread.
#ifndef CSP_BASE_HANDLES_H
#define CSP_BASE_HANDLES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "base/hash.h"
#include "base/log.h"

enum { CSP_HANDLE_NEVER_USED = 0, CSP_HANDLE_WAS_USED = 1 }; // keys that are no handles

struct csp_handle {
    _Atomic uintptr_t key;
    _Atomic(void *) object;
};

struct csp_handles_table {
    struct csp_handles_table *older; // replaced by this one
    unsigned mask, used;             // used: places that do not end a probe
    struct csp_handle entries[];
};

struct csp_handles {
    _Atomic(struct csp_handles_table *) current;
    pthread_mutex_t writers;
};

#define CSP_HANDLES_INIT {.writers = PTHREAD_MUTEX_INITIALIZER}

/** Where a probe for a key begins. */
static inline unsigned csp_handles_hash(uintptr_t key)
{
    return csp_hash(key, 32);
}

/** csp_handles_find beyond the first place. */
void *csp_handles_probe(struct csp_handles_table *t, uintptr_t key);

/** @return NULL: no object has this handle. */
static inline void *csp_handles_find(struct csp_handles *h, uintptr_t key)
{
    struct csp_handles_table *t = atomic_load_explicit(&h->current, memory_order_acquire);
    if (CSP_UNLIKELY(!t || key <= CSP_HANDLE_WAS_USED))
        return NULL;
    struct csp_handle *e = &t->entries[csp_handles_hash(key) & t->mask];
    uintptr_t k = atomic_load_explicit(&e->key, memory_order_acquire);
    if (CSP_LIKELY(k == key))
        return atomic_load_explicit(&e->object, memory_order_acquire);
    return k == CSP_HANDLE_NEVER_USED ? NULL : csp_handles_probe(t, key);
}

/** From now on the handle is this object's; it may have been another's. */
void csp_handles_put(struct csp_handles *h, uintptr_t key, void *object);

/** Forgets the handle, unless it is another object's by now; `object` NULL: whose ever it is. */
void csp_handles_drop(struct csp_handles *h, uintptr_t key, const void *object);

#endif
