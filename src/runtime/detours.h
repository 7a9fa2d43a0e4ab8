// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What a call meets on its way to the MPI library, besides the world's translation: one word, so that a call that
// meets nothing looks at one word. Set and cleared by whoever is met, at load, in MPI_Init and MPI_Finalize, and when
// the first object is made that calls can be about. Any role, any thread.
#ifndef CSP_RUNTIME_DETOURS_H
#define CSP_RUNTIME_DETOURS_H

#include <stdatomic.h>
#include "base/log.h"

enum {
    CSP_BY_TOOL = 1 << 0,  // a PMPI tool behind Casper (mpi_table.h)
    CSP_BY_CLOCK = 1 << 1, // somebody asks for the time in MPI (mpi_time.h)
    CSP_BY_P2P = 1 << 2,   // ghosts can carry messages: CSP_P2P
    CSP_BY_AUTO = 1 << 3,  // and there are communicators with CSP_P2P=auto
    CSP_BY_REQ = 1 << 4,   // the program may have requests of Casper's
    CSP_BY_TRAIN = 1 << 5  // RMA operations that wait for others like them leave now (rma_flow.h)
};
#define CSP_BY_ANY_CALL (CSP_BY_TOOL | CSP_BY_CLOCK)

extern CSP_INTERNAL _Atomic unsigned csp_detours;

/** Those of `which` that exist. A thread sees those of objects that it was given. */
static inline unsigned csp_detour(unsigned which)
{
    return atomic_load_explicit(&csp_detours, memory_order_relaxed) & which;
}

static inline void csp_detour_open(unsigned which)
{
    atomic_fetch_or_explicit(&csp_detours, which, memory_order_relaxed);
}

static inline void csp_detour_close(unsigned which)
{
    atomic_fetch_and_explicit(&csp_detours, ~which, memory_order_relaxed);
}

#endif
