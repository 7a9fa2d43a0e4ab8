// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/meta.h"

#include <malloc.h>
#include <stdlib.h>
#include "base/log.h"

static _Atomic int64_t now[CSP_META_KINDS];

void csp_meta_count(enum csp_meta_kind kind, long long n)
{
    int64_t have = atomic_fetch_add_explicit(&now[kind], n, memory_order_relaxed) + n;
    _Atomic uint64_t *peak = &csp_my_stats->meta_peak[kind];
    uint64_t most = atomic_load_explicit(peak, memory_order_relaxed);
    while (have > (int64_t)most &&
           !atomic_compare_exchange_weak_explicit(peak, &most, (uint64_t)have, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

// With the word that the C library keeps before a block.
static long long taken(void *p)
{
    return (long long)malloc_usable_size(p) + (long long)sizeof(size_t);
}

void *csp_meta_alloc(enum csp_meta_kind kind, size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    CSP_CHECK(p, "out of memory for a window");
    csp_meta_count(kind, taken(p));
    return p;
}

void csp_meta_free(enum csp_meta_kind kind, void *p)
{
    if (p)
        csp_meta_count(kind, -taken(p));
    free(p);
}
