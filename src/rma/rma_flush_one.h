// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A flush by one executor of the MPI library's operations, in two steps: several are begun before one is waited for.
#ifndef CSP_RMA_FLUSH_ONE_H
#define CSP_RMA_FLUSH_ONE_H

#include "rma/rma_win.h"

struct csp_flushing {
    struct csp_confirmer c; // and the executor's bit
    int local;              // at the origin only
    int weak;               // small PUTs must be confirmed
    int quiet, rc;
    MPI_Request asked; // csp_win_ask, if one of these is the case
};

/** Sends what there is to ask. It stays where it is until the end. */
void csp_flushing_begin(struct csp_win *w, int bit, int local, struct csp_flushing *f);

/** Waits for all of it. @return MPI error code, not raised. */
int csp_flushing_end(struct csp_win *w, struct csp_flushing *f);

/**
 * Those bits of word `i` that are up and in the mask. They go down before the flush, except when several threads may call
 * MPI: one that comes while another is still flushing must flush too. Then they go down at the end of the epoch.
 */
static inline uint64_t csp_win_take(_Atomic uint64_t *words, int i, uint64_t mask)
{
    if (csp_stats_threads)
        return atomic_load_explicit(&words[i], memory_order_acquire) & mask;
    if (!(atomic_load_explicit(&words[i], memory_order_relaxed) & mask))
        return 0;
    return atomic_fetch_and_explicit(&words[i], ~mask, memory_order_acq_rel) & mask;
}

/** The same for the bit of one executor. */
static inline int csp_win_take_bit(_Atomic uint64_t *words, int bit)
{
    return csp_win_take(words, bit / 64, UINT64_C(1) << (bit % 64)) != 0;
}

#endif
