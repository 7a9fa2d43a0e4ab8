// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/mpi_time.h"

#include "base/clock.h"
#include "base/log.h"
#include "runtime/detours.h"

static struct csp_mpi_time *_Atomic of_calls, *_Atomic of_waits; // NULL: nobody asks

static struct csp_mpi_time *asked(struct csp_mpi_time *_Atomic *record)
{
    return atomic_load_explicit(record, memory_order_relaxed);
}

// @return 1 if somebody asks.
static int begin(struct csp_mpi_time *_Atomic *record)
{
    struct csp_mpi_time *t = asked(record);
    if (t)
        csp_mpi_time_begin(t, csp_clock_ns);
    return t != NULL;
}

static void end(struct csp_mpi_time *_Atomic *record)
{
    struct csp_mpi_time *t = asked(record);
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

// What this thread has begun. Calls inside one lie below it on the stack.
static _Thread_local struct {
    const void *outermost; // the frame of the first call
    int calls, waits;
} mine;

static void leave_all(void)
{
    for (; mine.waits > 0; mine.waits--)
        end(&of_waits);
    for (; mine.calls > 0; mine.calls--)
        end(&of_calls);
}

void csp_mpi_time_enter(void)
{
    const void *frame = __builtin_frame_address(0);
    if (CSP_UNLIKELY(mine.calls > 0 && frame >= mine.outermost))
        leave_all(); // an error handler left them by an exception or longjmp
    if (mine.calls++ == 0)
        mine.outermost = frame;
    begin(&of_calls);
}

void csp_mpi_time_leave(void)
{
    if (mine.calls == 0)
        return;
    mine.calls--;
    end(&of_calls);
}

void csp_mpi_time_wait(void)
{
    if (begin(&of_waits))
        mine.waits++;
}

void csp_mpi_time_waited(void)
{
    if (!asked(&of_waits) || mine.waits == 0)
        return;
    mine.waits--;
    end(&of_waits);
}
