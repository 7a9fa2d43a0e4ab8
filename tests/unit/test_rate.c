// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "adapt/rate.h"

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

static void time_in_a_call_that_goes_on_counts(void **state)
{
    (void)state;
    struct csp_mpi_time t = {0};
    assert_int_equal(csp_mpi_time_until(&t, 1000), 0);
    atomic_store(&t.spent_ns, 300);
    assert_int_equal(csp_mpi_time_until(&t, 1000), 300);
    atomic_store(&t.since_ns, 900);
    assert_int_equal(csp_mpi_time_until(&t, 1000), 400);
    assert_int_equal(csp_mpi_time_until(&t, 800), 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_two_thresholds),
        cmocka_unit_test(an_interval_must_be_over),
        cmocka_unit_test(no_interval_at_all),
        cmocka_unit_test(time_in_a_call_that_goes_on_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
