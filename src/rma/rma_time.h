// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Accounting of the time that the program waits inside Casper's synchronisation calls.
#ifndef CSP_RMA_TIME_H
#define CSP_RMA_TIME_H

#include "base/clock.h"
#include "runtime/node.h"
#include "runtime/rt.h"

static inline void csp_time_waited(enum csp_wait_kind kind, uint64_t begin_ns)
{
    struct csp_stats *s = &csp_node_procs(csp_rt.page)[csp_rt.lrank].stats;
    csp_stats_add(&s->wait_ns[kind], csp_clock_ns() - begin_ns);
    csp_stats_add(&s->wait_count[kind], 1);
}

#endif
