// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A lock that costs nothing where one thread alone calls MPI. User role.
#ifndef CSP_RUNTIME_THREADS_H
#define CSP_RUNTIME_THREADS_H

#include <pthread.h>
#include "runtime/stats.h"

static inline void csp_threads_lock(pthread_mutex_t *lock)
{
    if (csp_stats_threads)
        pthread_mutex_lock(lock);
}

static inline void csp_threads_unlock(pthread_mutex_t *lock)
{
    if (csp_stats_threads)
        pthread_mutex_unlock(lock);
}

#endif
