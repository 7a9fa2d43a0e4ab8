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

static void *wait_for_it(void *arg)
{
    struct shared *s = *(struct shared **)arg;
    csp_lock_acquire(&s->lock, "test");
    s->plain = csp_clock_ns();
    csp_lock_release(&s->lock);
    return NULL;
}

static void *let_it_go(void *arg)
{
    struct shared *s = *(struct shared **)arg;
    while (atomic_load(&s->lock.state) != 2) // the other is about to sleep
        csp_clock_sleep(100000);
    csp_clock_sleep(20000000);
    s->plain = csp_clock_ns();
    csp_lock_release(&s->lock);
    return NULL;
}

static void *either(void *arg)
{
    return ((struct shared **)arg)[1] ? let_it_go(arg) : wait_for_it(arg);
}

// A waiter that nobody wakes looks again after a second.
static void a_sleeper_is_woken(void **state)
{
    (void)state;
    uint64_t best_ns = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        struct shared s = {0}, *args[2][2] = {{&s, &s}, {&s, NULL}};
        csp_lock_acquire(&s.lock, "test");
        assert_int_equal(atomic_load(&s.lock.owner_pid), getpid());
        uint64_t start_ns = csp_clock_ns();
        unit_threads(2, either, args, sizeof args[0]);
        uint64_t took_ns = csp_clock_ns() - start_ns;
        best_ns = took_ns < best_ns ? took_ns : best_ns;
        assert_true(s.plain - start_ns >= 20000000);
    }
    assert_true(best_ns < 500000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_excludes),
        cmocka_unit_test(a_sleeper_is_woken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
