// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_weak.h"

#include "runtime/node.h"
#include "runtime/wait.h"

enum { FREE, FILLING, SENT, TESTING, PHASES }; // and PHASES for each use of the place

struct csp_weak_put *csp_weak_begin(struct csp_win *w, int bit)
{
    for (int i = 0; i < CSP_WEAK_PUTS; i++) {
        struct csp_weak_put *p = &w->weak_puts[i];
        uint32_t state = atomic_load_explicit(&p->state, memory_order_relaxed);
        if (state % PHASES == FREE &&
            atomic_compare_exchange_strong_explicit(&p->state, &state, state + FILLING,
                                                    memory_order_acquire, memory_order_relaxed)) {
            p->bit = bit;
            return p;
        }
    }
    return NULL;
}

void csp_weak_end(struct csp_weak_put *put, int ok)
{
    uint32_t state = atomic_load_explicit(&put->state, memory_order_relaxed);
    atomic_store_explicit(&put->state, ok ? state - FILLING + SENT : state - FILLING + PHASES,
                          memory_order_release);
}

// @return whether the PUT that had `state` when the caller looked first is complete.
static int is_done(struct csp_weak_put *p, uint32_t state, int *rc)
{
    uint32_t now = state, begin = state - state % PHASES;
    int done = 0;
    if (!atomic_compare_exchange_strong_explicit(&p->state, &now, begin + TESTING,
                                                 memory_order_acquire, memory_order_acquire))
        return now - begin >= PHASES; // another thread is at it, or was
    *rc = csp_mpi.Test(&p->request, &done, MPI_STATUS_IGNORE);
    done = done || *rc != MPI_SUCCESS;
    atomic_store_explicit(&p->state, done ? begin + PHASES : begin + SENT, memory_order_release);
    return done;
}

int csp_weak_wait(struct csp_win *w, int bit)
{
    int rc = MPI_SUCCESS;
    for (int i = 0; i < CSP_WEAK_PUTS && rc == MPI_SUCCESS; i++) {
        struct csp_weak_put *p = &w->weak_puts[i];
        uint32_t state = atomic_load_explicit(&p->state, memory_order_acquire);
        if (state % PHASES < SENT || p->bit != bit)
            continue;
        struct csp_wait wait;
        csp_win_wait_begin(&wait, w, bit,
                           "flush of window %ld: a small PUT at ghost %ld of node %ld",
                           "flush of window %ld: a small PUT at its rank %ld");
        while (!is_done(p, state - state % PHASES + SENT, &rc))
            csp_wait_turn(&wait);
    }
    return rc;
}
