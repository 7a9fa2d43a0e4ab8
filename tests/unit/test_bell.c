// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "base/clock.h"
#include "shm/bell.h"

#include <string.h>

static const uint64_t ms = 1000000; // in ns

static void sleep_ends_with_the_limit(void **state)
{
    (void)state;
    struct csp_bell bell = {0};
    uint64_t start_ns = csp_clock_ns();
    csp_bell_sleep(&bell, csp_bell_seen(&bell, CSP_BELL_NAPS), 20 * ms);
    assert_true(csp_clock_ns() - start_ns >= 15 * ms);
    start_ns = csp_clock_ns();
    csp_bell_sleep(&bell, csp_bell_seen(&bell, CSP_BELL_NAPS), 0);
    assert_true(csp_clock_ns() - start_ns < 10000 * ms);
    assert_int_equal(atomic_load(&bell.sleeping), 0);
}

static void ring_before_the_sleep_is_not_lost(void **state)
{
    (void)state;
    struct csp_bell bell = {0};
    uint32_t seen = csp_bell_seen(&bell, CSP_BELL_NAPS);
    csp_bell_ring(&bell);
    uint64_t start_ns = csp_clock_ns();
    csp_bell_sleep(&bell, seen, 60000 * ms);
    assert_true(csp_clock_ns() - start_ns < 30000 * ms);
}

static void ring_is_free_while_the_owner_is_awake(void **state)
{
    (void)state;
    struct csp_bell bell = {0};
    assert_int_equal(csp_bell_ring(&bell), 0);
    assert_int_equal(csp_bell_rings(&bell), 0);
    csp_bell_seen(&bell, CSP_BELL_NAPS);
    assert_int_equal(csp_bell_ring(&bell), 1);
    assert_int_equal(csp_bell_ring(&bell), 0); // the first has taken the flag down
    assert_int_equal(csp_bell_rings(&bell), 1);
}

static void others_see_who_waits_to_be_called(void **state)
{
    (void)state;
    struct csp_bell bell = {0};
    uint32_t seen = csp_bell_seen(&bell, CSP_BELL_NAPS);
    assert_false(csp_bell_is_called(&bell)); // it comes back soon
    csp_bell_sleep(&bell, seen, 0);
    seen = csp_bell_seen(&bell, CSP_BELL_IS_CALLED);
    assert_true(csp_bell_is_called(&bell));
    csp_bell_sleep(&bell, seen, 0);
    assert_false(csp_bell_is_called(&bell)); // back
    csp_bell_seen(&bell, CSP_BELL_IS_CALLED);
    csp_bell_ring(&bell);
    assert_false(csp_bell_is_called(&bell)); // called, if not yet back
    csp_bell_seen(&bell, CSP_BELL_IS_CALLED);
    csp_bell_answer(&bell);
    assert_false(csp_bell_is_called(&bell)); // it saw by itself
}

// Ringers hand items to an owner that sleeps whenever there is none, with a limit so long that a
// lost ring is a failure.
enum { RINGERS = 3, ITEMS = 4000 };

struct post {
    struct csp_bell bell;
    _Atomic unsigned posted; // items so far, by all
    _Atomic unsigned taken;
};

static void *ringer(void *arg)
{
    struct post *p = *(struct post **)arg;
    for (int i = 0; i < ITEMS; i++) {
        unsigned mine = atomic_fetch_add_explicit(&p->posted, 1, memory_order_release) + 1;
        csp_bell_ring(&p->bell);
        if (i % 4 == 0) // let the owner go to sleep now and then
            while (atomic_load_explicit(&p->taken, memory_order_acquire) < mine)
                csp_clock_sleep(1000);
    }
    return NULL;
}

static void *owner(void *arg)
{
    struct post *p = *(struct post **)arg;
    unsigned taken = 0;
    while (taken < RINGERS * ITEMS) {
        uint32_t seen = csp_bell_seen(&p->bell, CSP_BELL_NAPS);
        unsigned posted = atomic_load_explicit(&p->posted, memory_order_acquire);
        if (posted == taken)
            csp_bell_sleep(&p->bell, seen, 60000 * ms);
        taken = posted;
        atomic_store_explicit(&p->taken, taken, memory_order_release);
    }
    return NULL;
}

static void *either(void *arg)
{
    return ((struct post **)arg)[1] ? owner(arg) : ringer(arg);
}

static void no_ring_is_lost(void **state)
{
    (void)state;
    struct post p;
    memset(&p, 0, sizeof p);
    // pairs of the common object and "is the owner"
    struct post *args[RINGERS + 1][2] = {{&p, &p}, {&p, NULL}, {&p, NULL}, {&p, NULL}};
    uint64_t start_ns = csp_clock_ns();
    unit_threads(RINGERS + 1, either, args, sizeof args[0]);
    assert_true(csp_clock_ns() - start_ns < 60000 * ms);
    assert_int_equal(atomic_load(&p.taken), RINGERS * ITEMS);
}

// Threads that share a bell. One of them wakes by its limit before the ring: it wakes the other two all the same.
enum { SLEEPERS = 3 };

struct shared {
    struct csp_bell bell;
    _Atomic int rung;
};

static void *sleeper(void *arg)
{
    struct shared *s = *(struct shared **)arg;
    int ringer = ((struct shared **)arg)[1] != NULL, early = ((struct shared **)arg)[2] != NULL;
    if (ringer) {
        csp_clock_sleep(100 * ms);
        atomic_store(&s->rung, 1);
        csp_bell_ring(&s->bell);
        return NULL;
    }
    uint32_t seen = csp_bell_seen(&s->bell, CSP_BELL_NAPS);
    if (!atomic_load(&s->rung))
        csp_bell_sleep_shared(&s->bell, seen, early ? 20 * ms : 20000 * ms);
    return NULL;
}

static void all_sleepers_wake(void **state)
{
    (void)state;
    struct shared s;
    memset(&s, 0, sizeof s);
    struct shared *args[SLEEPERS + 1][3] = {
        {&s, NULL, NULL}, {&s, NULL, NULL}, {&s, NULL, &s}, {&s, &s, NULL}};
    uint64_t start_ns = csp_clock_ns();
    unit_threads(SLEEPERS + 1, sleeper, args, sizeof args[0]);
    assert_true(csp_clock_ns() - start_ns < 10000 * ms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleep_ends_with_the_limit),
        cmocka_unit_test(ring_before_the_sleep_is_not_lost),
        cmocka_unit_test(ring_is_free_while_the_owner_is_awake),
        cmocka_unit_test(others_see_who_waits_to_be_called),
        cmocka_unit_test(no_ring_is_lost),
        cmocka_unit_test(all_sleepers_wake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
