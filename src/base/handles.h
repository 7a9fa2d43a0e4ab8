// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// From a handle, as a number, to an object: open addressing, read without a lock. Writers hold a mutex; tables
// that were replaced stay, because there may be readers in them. Any thread.
#ifndef CSP_BASE_HANDLES_H
#define CSP_BASE_HANDLES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct csp_handles_table;

struct csp_handles {
    _Atomic(struct csp_handles_table *) current;
    pthread_mutex_t writers;
};

#define CSP_HANDLES_INIT {.writers = PTHREAD_MUTEX_INITIALIZER}

/** @return NULL: no object has this handle. */
void *csp_handles_find(struct csp_handles *h, uintptr_t key);

/** From now on the handle is this object's; it may have been another's. */
void csp_handles_put(struct csp_handles *h, uintptr_t key, void *object);

/** Forgets the handle, unless it is another object's by now; `object` NULL: whose ever it is. */
void csp_handles_drop(struct csp_handles *h, uintptr_t key, const void *object);

#endif
