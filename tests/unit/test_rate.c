// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "adapt/rate.h"

#include <pthread.h>
#include "base/clock.h"

enum { SECOND = 1000000000 };

static const struct csp_rate_config config = {SECOND, 60, 80};

// A second with so many percent in MPI. @return whether the prediction changed.
static int second(struct csp_rate *r, int percent)
{
    uint64_t mpi_ns = r->mpi_ns + (uint64_t)percent * (SECOND / 100);
    return csp_rate_step(r, &config, r->begin_ns + SECOND, mpi_ns);
}

static void follows_the_two_thresholds(void **state)
{
    (void)state;
    struct csp_rate r;
    csp_rate_begin(&r, 5, 7);
    assert_false(r.off); // redirection is on at first
    assert_false(second(&r, 70));
    assert_false(r.off);
    assert_false(second(&r, 80)); // not above
    assert_true(second(&r, 81));
    assert_true(r.off);
    assert_int_equal(r.percent, 81);
    assert_false(second(&r, 70)); // in between: as before
    assert_false(second(&r, 60)); // not below
    assert_true(r.off);
    assert_true(second(&r, 59));
    assert_false(r.off);
    assert_false(second(&r, 0));
}

static void thresholds_of_nothing_turn_off_whoever_is_in_mpi_at_all(void **state)
{
    (void)state;
    static const struct csp_rate_config never = {SECOND, 0, 0};
    struct csp_rate r;
    csp_rate_begin(&r, 0, 0);
    assert_false(csp_rate_step(&r, &never, SECOND, 0));
    assert_true(csp_rate_step(&r, &never, (uint64_t)2 * SECOND, SECOND / 1000));
    assert_true(r.off);
}

static void an_interval_must_be_over(void **state)
{
    (void)state;
    struct csp_rate r;
    csp_rate_begin(&r, 0, 0);
    assert_false(csp_rate_step(&r, &config, SECOND - 1, SECOND - 1));
    assert_false(r.off);
    assert_true(csp_rate_step(&r, &config, SECOND, SECOND));
    assert_true(r.off);
    assert_int_equal(r.percent, 100);
    // Threads of a process may be in MPI at once: never more than all of the time.
    assert_false(csp_rate_step(&r, &config, (uint64_t)2 * SECOND, (uint64_t)5 * SECOND));
    assert_int_equal(r.percent, 100);
}

static void no_interval_at_all(void **state)
{
    (void)state;
    const struct csp_rate_config now = {0, 60, 80};
    struct csp_rate r;
    csp_rate_begin(&r, 100, 0);
    assert_false(csp_rate_step(&r, &now, 100, 0)); // no time passed
    assert_false(csp_rate_step(&r, &now, 50, 0));  // a clock of another core
    assert_true(csp_rate_step(&r, &now, 101, 1));
}

static uint64_t hand_ns; // of a clock that the test turns

static uint64_t hand(void)
{
    return hand_ns;
}

static void time_in_a_call_that_goes_on_counts(void **state)
{
    (void)state;
    struct csp_mpi_time t = {0};
    assert_int_equal(csp_mpi_time_until(&t, 1000), 0);
    hand_ns = 600;
    csp_mpi_time_begin(&t, hand);
    assert_int_equal(csp_mpi_time_until(&t, 590), 0);
    assert_int_equal(csp_mpi_time_until(&t, 700), 100);
    csp_mpi_time_begin(&t, hand); // a second thread
    hand_ns = 800;
    csp_mpi_time_end(&t, hand);
    assert_int_equal(csp_mpi_time_until(&t, 1000), 400);
    hand_ns = 900;
    csp_mpi_time_end(&t, hand);
    assert_int_equal(csp_mpi_time_until(&t, 1000), 300);
    hand_ns = UINT64_C(1) << 62; // after the bits for time went round
    csp_mpi_time_begin(&t, hand);
    assert_int_equal(csp_mpi_time_until(&t, hand_ns + 50), 350);
}

enum { THREADS = 2, CALLS = 50000 };

static struct csp_mpi_time shared;
static struct span {
    uint64_t begin_ns, end_ns;
} calls[THREADS][CALLS];

// Calls one after the other, and the time in each.
static void *call(void *spans)
{
    struct span *s = spans;
    for (int i = 0; i < CALLS; i++) {
        csp_mpi_time_begin(&shared, csp_clock_ns);
        s[i].begin_ns = csp_clock_ns();
        for (volatile int k = 0; k < i % 512; k++)
            ;
        s[i].end_ns = csp_clock_ns();
        csp_mpi_time_end(&shared, csp_clock_ns);
    }
    return NULL;
}

// During which one of them at least was in a call.
static uint64_t together_ns(void)
{
    uint64_t sum_ns = 0, until_ns = 0;
    for (int next[THREADS] = {0}; next[0] < CALLS || next[1] < CALLS;) {
        int t = next[1] == CALLS ||
                        (next[0] < CALLS && calls[0][next[0]].begin_ns < calls[1][next[1]].begin_ns)
                    ? 0
                    : 1;
        struct span s = calls[t][next[t]++];
        if (s.end_ns > until_ns) {
            sum_ns += s.end_ns - (s.begin_ns > until_ns ? s.begin_ns : until_ns);
            until_ns = s.end_ns;
        }
    }
    return sum_ns;
}

static void threads_lose_nothing(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    uint64_t begin_ns = csp_clock_ns();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call, calls[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    uint64_t all_ns = csp_clock_ns() - begin_ns, least_ns = together_ns();
    uint64_t found_ns = csp_mpi_time_until(&shared, csp_clock_ns());
    if (found_ns < least_ns || found_ns > all_ns)
        fail_msg("%lu us found, of %lu to %lu", (unsigned long)found_ns / 1000,
                 (unsigned long)least_ns / 1000, (unsigned long)all_ns / 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_two_thresholds),
        cmocka_unit_test(thresholds_of_nothing_turn_off_whoever_is_in_mpi_at_all),
        cmocka_unit_test(an_interval_must_be_over),
        cmocka_unit_test(no_interval_at_all),
        cmocka_unit_test(time_in_a_call_that_goes_on_counts),
        cmocka_unit_test(threads_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
