// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "adapt/traffic.h"

// A program, as its collective calls see it.
struct program {
    double library_ns, ghosts_ns; // from call to call
    double hidden;                // share of that, with the library
    uint64_t messages, elements;  // of a call
    double noise;                 // share of the time, to either side
    int quiet_percent;            // of the calls
};

static const struct program gains = {1e6, 0.7e6, 0.3, 8, 80000, 0.02, 100};
static const struct program loses = {1e6, 3e6, 0.3, 8, 80000, 0.02, 100};

struct run {
    struct csp_traffic traffic;
    int by_ghosts, changes;
    double ns, ghosts_ns, best_ns; // all, with ghosts, and if the better way had been taken at once
    uint64_t seed;
};

static void begin(struct run *r)
{
    *r = (struct run){.seed = 1};
    csp_traffic_init(&r->traffic, 0);
}

static void interval(struct run *r, const struct program *p)
{
    struct csp_traffic_look l = {.calls = r->traffic.calls,
                                 .messages = p->messages * r->traffic.calls,
                                 .elements = p->elements * r->traffic.calls};
    double noise = p->noise * ((double)(unit_random(&r->seed) % 2001) / 1000 - 1);
    double ns = (r->by_ghosts ? p->ghosts_ns : p->library_ns) * (1 + noise) * (double)l.calls;
    double best = p->ghosts_ns < p->library_ns ? p->ghosts_ns : p->library_ns;
    l.ns = (uint64_t)ns;
    l.hidden_ns = r->by_ghosts ? 0 : (uint64_t)(ns * p->hidden);
    l.quiet = (int)(unit_random(&r->seed) % 100) < p->quiet_percent;
    r->ns += ns;
    r->ghosts_ns += r->by_ghosts ? ns : 0;
    r->best_ns += best * (double)l.calls;
    int now = csp_traffic_look(&r->traffic, &l);
    if (now != r->by_ghosts)
        assert_true(l.quiet);
    r->changes += now != r->by_ghosts;
    r->by_ghosts = now;
    assert_true(r->traffic.calls > 0);
}

static void seconds(struct run *r, const struct program *p, double s)
{
    for (double end = r->ns + s * 1e9; r->ns < end;)
        interval(r, p);
}

// Ghosts are its choice, though it may be looking whether they should be.
static int has_chosen_ghosts(const struct run *r)
{
    return r->traffic.state == CSP_TRAFFIC_KEEP || r->traffic.state == CSP_TRAFFIC_CHECK;
}

static void takes_ghosts_that_gain(void **state)
{
    (void)state;
    struct run r;
    begin(&r);
    seconds(&r, &gains, 1);
    assert_true(has_chosen_ghosts(&r));
    seconds(&r, &gains, 60);
    assert_true(r.ghosts_ns > 0.95 * r.ns);
    assert_true(r.ns < 1.03 * r.best_ns);
}

static void leaves_ghosts_that_lose(void **state)
{
    (void)state;
    struct run r;
    begin(&r);
    seconds(&r, &loses, 120);
    assert_true(r.changes >= 2);
    assert_true(r.ns < 1.03 * r.best_ns);
}

// However short the run is, and how much ghosts lose.
static void short_runs_lose_little(void **state)
{
    (void)state;
    struct program p = loses;
    for (int tenths = 11; tenths < 40; tenths = tenths < 15 ? 15 : 2 * tenths) {
        struct run r;
        p.ghosts_ns = p.library_ns * tenths / 10;
        begin(&r);
        while (r.ns < 20e9) {
            interval(&r, &p);
            assert_true(r.ns < 1.03 * r.best_ns);
        }
        assert_true(r.changes >= 2);
    }
}

// Though the library is tried only now and then.
static void ghosts_that_become_dear_are_left_soon(void **state)
{
    (void)state;
    struct run r;
    for (int s = 20; s < 30; s++) {
        begin(&r);
        seconds(&r, &gains, s);
        assert_true(has_chosen_ghosts(&r));
        double since_ns = r.ns;
        seconds(&r, &loses, 0.3);
        assert_false(has_chosen_ghosts(&r));
        assert_true(r.ns - since_ns < 0.4e9);
    }
}

static void nothing_to_hide_is_not_tried(void **state)
{
    (void)state;
    struct program p = gains;
    struct run r;
    p.hidden = 0.04;
    begin(&r);
    seconds(&r, &p, 60);
    assert_int_equal(r.changes, 0);
}

static void equal_ways_do_not_flap(void **state)
{
    (void)state;
    struct program p = gains;
    struct run r;
    p.ghosts_ns = p.library_ns;
    p.noise = 0.1;
    begin(&r);
    seconds(&r, &p, 120);
    assert_true(r.changes < 40); // of more than 1,000 looks
}

static void messages_on_their_way_keep_the_way(void **state)
{
    (void)state;
    struct program p = gains;
    struct run r;
    p.quiet_percent = 0;
    begin(&r);
    seconds(&r, &p, 10);
    assert_int_equal(r.changes, 0);
    p.quiet_percent = 100; // asked again after a rest
    seconds(&r, &p, 5);
    assert_true(has_chosen_ghosts(&r));
    p.quiet_percent = 0;
    seconds(&r, &p, 60);
    assert_true(has_chosen_ghosts(&r));
    p.quiet_percent = 5;
    p.ghosts_ns = 2 * p.library_ns;
    seconds(&r, &p, 10);
    assert_false(has_chosen_ghosts(&r));
}

static void other_traffic_is_judged_anew(void **state)
{
    (void)state;
    struct program p = loses;
    struct run r;
    begin(&r);
    seconds(&r, &gains, 5);
    assert_true(has_chosen_ghosts(&r));
    p.messages = 80;
    seconds(&r, &p, 5);
    assert_false(has_chosen_ghosts(&r));
    seconds(&r, &gains, 1);
    assert_true(has_chosen_ghosts(&r));
}

static void calls_far_apart_and_close(void **state)
{
    (void)state;
    struct program p = gains;
    struct run r;
    p.library_ns = 2e9;
    p.ghosts_ns = 1.5e9;
    begin(&r);
    seconds(&r, &p, 500); // a look is after 4 calls, and an attempt takes 8
    assert_true(has_chosen_ghosts(&r));
    p.library_ns = 1e3;
    p.ghosts_ns = 0.9e3;
    begin(&r);
    seconds(&r, &p, 1);
    assert_true(has_chosen_ghosts(&r));
    assert_true(r.traffic.length * p.library_ns > 1e7);
}

// Calls may take thousands of times as long from one phase to the next.
static void slow_calls_after_fast_ones_are_noticed(void **state)
{
    (void)state;
    static const struct program fast = {14e3, 14e3, 0, 40, 320, 0.02, 100};
    static const struct program slow = {37e6, 32e6, 0.12, 2, 16777216, 0.02, 100};
    struct run r;
    begin(&r);
    seconds(&r, &fast, 12);
    double since_ns = r.ns;
    for (int i = 0; i < 100 && !has_chosen_ghosts(&r); i++)
        interval(&r, &slow);
    assert_true(has_chosen_ghosts(&r));
    assert_true(r.ns - since_ns < 25e9);
}

static void alternates_at_every_chance(void **state)
{
    (void)state;
    struct csp_traffic t;
    struct csp_traffic_look l = {.calls = 1, .ns = 1, .quiet = 1};
    csp_traffic_init(&t, 1);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(csp_traffic_look(&t, &l), i % 2 == 0);
        assert_int_equal(t.calls, 1);
    }
    l.quiet = 0;
    assert_int_equal(csp_traffic_look(&t, &l), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_ghosts_that_gain),
        cmocka_unit_test(leaves_ghosts_that_lose),
        cmocka_unit_test(short_runs_lose_little),
        cmocka_unit_test(ghosts_that_become_dear_are_left_soon),
        cmocka_unit_test(nothing_to_hide_is_not_tried),
        cmocka_unit_test(equal_ways_do_not_flap),
        cmocka_unit_test(messages_on_their_way_keep_the_way),
        cmocka_unit_test(other_traffic_is_judged_anew),
        cmocka_unit_test(alternates_at_every_chance),
        cmocka_unit_test(calls_far_apart_and_close),
        cmocka_unit_test(slow_calls_after_fast_ones_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
