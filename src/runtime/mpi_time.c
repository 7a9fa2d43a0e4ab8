// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/mpi_time.h"

#include "base/clock.h"
#include "runtime/detours.h"

static struct csp_mpi_time *_Atomic record; // NULL: nobody asks
static _Atomic int depth;                   // calls that go on, of all threads

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
    if (t && atomic_fetch_add_explicit(&depth, 1, memory_order_relaxed) == 0)
        atomic_store_explicit(&t->since_ns, csp_clock_ns(), memory_order_relaxed);
}

void csp_mpi_time_leave(void)
{
    struct csp_mpi_time *t = atomic_load_explicit(&record, memory_order_relaxed);
    if (!t || atomic_fetch_sub_explicit(&depth, 1, memory_order_relaxed) != 1)
        return;
    uint64_t since = atomic_exchange_explicit(&t->since_ns, 0, memory_order_relaxed);
    uint64_t now = csp_clock_ns();
    if (since && since < now) // another thread may have left and entered in between
        atomic_fetch_add_explicit(&t->spent_ns, now - since, memory_order_release);
}
