// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Accounting of the time that the program waits inside Casper's synchronisation calls.
#ifndef CSP_RMA_TIME_H
#define CSP_RMA_TIME_H

#include "base/clock.h"
#include "runtime/mpi_time.h"
#include "runtime/stats.h"

/** Returns the time, for csp_time_waited. */
static inline uint64_t csp_time_wait(void)
{
    csp_mpi_time_wait();
    return csp_clock_ns();
}

static inline void csp_time_waited(enum csp_wait_kind kind, uint64_t begin_ns)
{
    csp_mpi_time_waited();
    csp_stats_add(&csp_my_stats->wait_ns[kind], csp_clock_ns() - begin_ns);
    csp_stats_add(&csp_my_stats->wait_count[kind], 1);
}

#endif
