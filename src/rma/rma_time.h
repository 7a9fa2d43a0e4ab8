// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Accounting of the time that the program waits inside Casper's synchronisation calls.
#ifndef CSP_RMA_TIME_H
#define CSP_RMA_TIME_H

#include "base/clock.h"
#include "runtime/stats.h"

static inline void csp_time_waited(enum csp_wait_kind kind, uint64_t begin_ns)
{
    csp_stats_add(&csp_my_stats->wait_ns[kind], csp_clock_ns() - begin_ns);
    csp_stats_add(&csp_my_stats->wait_count[kind], 1);
}

#endif
