// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Monotonic clock and the ways to wait a little. Any role, any thread.
#ifndef CSP_BASE_CLOCK_H
#define CSP_BASE_CLOCK_H

#include <stdint.h>
#include <sys/prctl.h>
#include <time.h>

/** 0 if there is no such clock, such as that of a process that has ended. */
static inline uint64_t csp_clock_of(clockid_t clock)
{
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t csp_clock_ns(void)
{
    return csp_clock_of(CLOCK_MONOTONIC);
}

/** Time since 1970, which programs on other nodes have, too. */
static inline uint64_t csp_clock_unix_ns(void)
{
    return csp_clock_of(CLOCK_REALTIME);
}

/** What this thread spent on a core since it began. */
static inline uint64_t csp_clock_cpu_ns(void)
{
    return csp_clock_of(CLOCK_THREAD_CPUTIME_ID);
}

/** Tells the core that we spin. */
static inline void csp_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield" ::: "memory");
#endif
}

/** Sleeps about `ns` nanoseconds; the kernel adds the thread's timer slack, 50 us by default. */
static inline void csp_clock_sleep(uint64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
    nanosleep(&t, 0);
}

/** How late the kernel may wake this thread. @return what it was before. */
static inline unsigned long csp_clock_slack(unsigned long ns)
{
    int before = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    prctl(PR_SET_TIMERSLACK, ns, 0, 0, 0);
    return before > 0 ? (unsigned long)before : 0; // 0 asks for the default
}

#endif
