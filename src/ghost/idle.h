// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// How long is an idle turn of the loop? A running estimate of a high quantile (about the 99th
// percentile) of the turns, by stochastic approximation: up by 99 steps when a turn is longer, down
// by 1 when shorter. Turns that handle operations are rarer than idle ones or much longer, so they
// hardly move it; a floor and a factor keep the noise of an idle loop from counting as work.
#ifndef CSP_GHOST_IDLE_H
#define CSP_GHOST_IDLE_H

#include <stdint.h>

struct csp_idle {
    uint64_t quantile_ps; // picoseconds, so that small steps do not vanish
    uint64_t seen;
};

enum {
    CSP_IDLE_FLOOR_NS = 150,
    CSP_IDLE_WARMUP = 1000,     // turns before anything counts as work by its time;
    CSP_IDLE_WARMUP_NS = 10000, // a longer one was interrupted, it teaches this much
    CSP_IDLE_CAP_NS = 20000000  // a longer turn was interrupted by the scheduler
};

static inline uint64_t csp_idle_threshold_ns(const struct csp_idle *i)
{
    uint64_t ns = i->quantile_ps / 1000;
    return ns + ns / 4 + CSP_IDLE_FLOOR_NS;
}

/** Whether a turn of `ns` was longer than an idle one. */
static inline int csp_idle_exceeds(const struct csp_idle *i, uint64_t ns)
{
    return ns > csp_idle_threshold_ns(i) && i->seen >= CSP_IDLE_WARMUP;
}

/** Learns from a turn. */
static inline void csp_idle_learn(struct csp_idle *i, uint64_t ns)
{
    uint64_t step = i->quantile_ps / 2000 + 50;
    if (ns * 1000 <= i->quantile_ps)
        i->quantile_ps -= i->quantile_ps > step ? step : 0;
    else if (i->seen < CSP_IDLE_WARMUP)
        i->quantile_ps += (ns < CSP_IDLE_WARMUP_NS ? ns : CSP_IDLE_WARMUP_NS) * 10;
    else
        i->quantile_ps += ns > csp_idle_threshold_ns(i) ? step * 9 : step * 99;
    i->seen++;
}

/** The part of a busy turn that was work. */
static inline uint64_t csp_idle_work_ns(uint64_t ns)
{
    return ns > CSP_IDLE_CAP_NS ? CSP_IDLE_CAP_NS : ns;
}

#endif
