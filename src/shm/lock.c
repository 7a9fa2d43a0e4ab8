// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "shm/lock.h"
#include "base/clock.h"
#include "base/log.h"
#include "shm/futex.h"

enum { SPINS = 100 };                              // about a microsecond
static const uint64_t say_after_ns = 10000000000u; // a section takes microseconds
static const uint64_t longest_sleep_ns = 1000000000u;

static int try_acquire(struct csp_lock *lock)
{
    uint32_t free_state = 0;
    /* acquire: pairs with the release in csp_lock_release */
    return atomic_compare_exchange_strong_explicit(&lock->state, &free_state, 1,
                                                   memory_order_acquire, memory_order_relaxed);
}

static void acquire_slowly(struct csp_lock *lock, const char *what)
{
    uint64_t say_ns = csp_clock_ns() + say_after_ns;
    /* acquire: as above. From here on the state stays 2: others may sleep as well. */
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire)) {
        csp_futex_wait(&lock->state, 2, longest_sleep_ns);
        if (csp_clock_ns() < say_ns)
            continue;
        csp_warn("waiting for the %s lock, held by process %d; is it still there?", what,
                 (int)atomic_load_explicit(&lock->owner_pid, memory_order_relaxed));
        say_ns = csp_clock_ns() + say_after_ns;
    }
}

void csp_lock_acquire(struct csp_lock *lock, const char *what)
{
    int got = try_acquire(lock);
    for (int i = 0; !got && i < SPINS; i++) {
        csp_cpu_relax();
        got = try_acquire(lock);
    }
    if (!got)
        acquire_slowly(lock, what);
    atomic_store_explicit(&lock->owner_pid, (int32_t)getpid(), memory_order_relaxed);
}

void csp_lock_release(struct csp_lock *lock)
{
    /* release: pairs with the acquire of the next holder */
    if (atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2)
        csp_futex_wake(&lock->state, 1);
}
