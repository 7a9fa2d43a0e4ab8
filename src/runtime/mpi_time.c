// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/mpi_time.h"

#include "base/clock.h"
#include "runtime/detours.h"

static struct csp_mpi_time *_Atomic record; // NULL: nobody asks

void csp_mpi_time_start(struct csp_mpi_time *t)
{
    atomic_store_explicit(&record, t, memory_order_relaxed);
    csp_detour_open(CSP_BY_CLOCK);
}

void csp_mpi_time_stop(void)
{
    csp_detour_close(CSP_BY_CLOCK);
    atomic_store_explicit(&record, NULL, memory_order_relaxed);
}

void csp_mpi_time_enter(void)
{
    struct csp_mpi_time *t = atomic_load_explicit(&record, memory_order_relaxed);
    if (t)
        csp_mpi_time_begin(t, csp_clock_ns);
}

void csp_mpi_time_leave(void)
{
    struct csp_mpi_time *t = atomic_load_explicit(&record, memory_order_relaxed);
    if (t)
        csp_mpi_time_end(t, csp_clock_ns);
}
