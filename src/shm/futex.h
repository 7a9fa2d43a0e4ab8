// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Futexes on words of a shared segment: between processes, hence without FUTEX_PRIVATE_FLAG.
#ifndef CSP_SHM_FUTEX_H
#define CSP_SHM_FUTEX_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/** Sleeps while *word == value, at most `ns`; may return early. */
static inline void csp_futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t ns)
{
    struct timespec limit = {.tv_sec = (time_t)(ns / 1000000000u),
                             .tv_nsec = (long)(ns % 1000000000u)};
    syscall(SYS_futex, word, FUTEX_WAIT, value, &limit, NULL, 0);
}

static inline void csp_futex_wake(_Atomic uint32_t *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

#endif
