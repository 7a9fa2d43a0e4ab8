// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "base/clock.h"
#include "shm/lock.h"

#include <unistd.h>

enum { WORKERS = 4, ROUNDS = 20000 };

struct shared {
    struct csp_lock lock;
    uint64_t plain; // no atomic: only the lock protects it
};

static void *count(void *arg)
{
    struct shared *s = *(struct shared **)arg;
    for (int i = 0; i < ROUNDS; i++) {
        csp_lock_acquire(&s->lock, "test");
        s->plain++;
        csp_lock_release(&s->lock);
    }
    return NULL;
}

static void it_excludes(void **state)
{
    (void)state;
    struct shared s = {0}, *args[WORKERS] = {&s, &s, &s, &s};
    unit_threads(WORKERS, count, args, sizeof args[0]);
    assert_int_equal(s.plain, WORKERS * ROUNDS);
    assert_int_equal(atomic_load(&s.lock.state), 0);
}

// Holders that sleep: waiters go to sleep as well and must be woken.
static void *count_slowly(void *arg)
{
    struct shared *s = *(struct shared **)arg;
    for (int i = 0; i < 50; i++) {
        csp_lock_acquire(&s->lock, "test");
        s->plain++;
        csp_clock_sleep(100000);
        csp_lock_release(&s->lock);
    }
    return NULL;
}

static void sleepers_are_woken(void **state)
{
    (void)state;
    struct shared s = {0}, *args[WORKERS] = {&s, &s, &s, &s};
    uint64_t start_ns = csp_clock_ns();
    unit_threads(WORKERS, count_slowly, args, sizeof args[0]);
    assert_int_equal(s.plain, WORKERS * 50);
    // 200 sections of about 0.2 ms; one lost wake-up alone costs a second
    assert_true(csp_clock_ns() - start_ns < UINT64_C(20) * 1000000000);
    assert_int_equal(atomic_load(&s.lock.owner_pid), getpid());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_excludes),
        cmocka_unit_test(sleepers_are_woken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
