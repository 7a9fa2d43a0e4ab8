// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/mpi_time.h"

#include "base/clock.h"
#include "runtime/detours.h"

static struct csp_mpi_time *_Atomic of_calls, *_Atomic of_waits; // NULL: nobody asks

static void begin(struct csp_mpi_time *_Atomic *record)
{
    struct csp_mpi_time *t = atomic_load_explicit(record, memory_order_relaxed);
    if (t)
        csp_mpi_time_begin(t, csp_clock_ns);
}

static void end(struct csp_mpi_time *_Atomic *record)
{
    struct csp_mpi_time *t = atomic_load_explicit(record, memory_order_relaxed);
    if (t)
        csp_mpi_time_end(t, csp_clock_ns);
}

void csp_mpi_time_start(struct csp_mpi_time *calls, struct csp_mpi_time *waits)
{
    atomic_store_explicit(&of_calls, calls, memory_order_relaxed);
    atomic_store_explicit(&of_waits, waits, memory_order_relaxed);
    csp_detour_open(CSP_BY_CLOCK);
}

void csp_mpi_time_stop(void)
{
    csp_detour_close(CSP_BY_CLOCK);
    atomic_store_explicit(&of_calls, NULL, memory_order_relaxed);
    atomic_store_explicit(&of_waits, NULL, memory_order_relaxed);
}

void csp_mpi_time_enter(void)
{
    begin(&of_calls);
}

void csp_mpi_time_leave(void)
{
    end(&of_calls);
}

void csp_mpi_time_wait(void)
{
    begin(&of_waits);
}

void csp_mpi_time_waited(void)
{
    end(&of_waits);
}
