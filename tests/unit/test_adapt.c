// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "adapt_sim.h"

#include <stdio.h>

enum { SEEDS = 8 };

static const double INTERVAL_S = CSP_ADAPT_INTERVAL_NS * 1e-9;
static struct csp_adapt_config shipped; // as in the library

// A phase of one route's cost against the other's, `on` and `off` in microseconds.
static struct sim_phase phase(double on, double off, double best_s)
{
    return (struct sim_phase){.ns = {on * 1e3, off * 1e3}, .best_s = best_s};
}

// One operation between two waits, and much computing.
static struct sim_phase sparse(double on, double off, double best_s)
{
    struct sim_phase p = phase(on, off, best_s);
    p.per_call = 1;
    p.compute_ns = 5000000;
    return p;
}

// So many, and little.
static struct sim_phase dense(double on, double off, double best_s, double per_call)
{
    struct sim_phase p = phase(on, off, best_s);
    p.per_call = per_call;
    p.compute_ns = 50000;
    return p;
}

static void assert_within(double slower, double limit, const char *what, uint64_t seed)
{
    if (slower > limit)
        fail_msg("%s, seed %lu: %.1f %% slower, %.1f allowed", what, (unsigned long)seed,
                 100 * slower, 100 * limit);
}

// Whatever the costs are, a phase of some seconds takes hardly longer than on the better route.
static void finds_the_better_route(void **state)
{
    (void)state;
    static const double ratio[] = {0.01, 0.1, 0.5, 0.8, 1.0, 1.25, 2, 10, 100, 3000};
    for (unsigned i = 0; i < COUNT(ratio); i++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct sim_world w = {.nphases = 1, .noise = 0.5, .per_call = 1, .seed = seed};
            struct sim_result r;
            w.phase[0] = phase(10, 10 * ratio[i], 4);
            sim_run(&w, &shipped, &r);
            char what[64];
            snprintf(what, sizeof(what), "off costs %g of on", ratio[i]);
            assert_within(r.slower_all, 0.05, what, seed);
        }
}

// Two routes that cost the same are no reason to change.
static void does_not_flap(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct sim_world w = {.nphases = 1, .noise = 0.9, .per_call = 1, .seed = seed};
        struct sim_result r;
        w.phase[0] = phase(100, 100, 60);
        sim_run(&w, &shipped, &r);
        assert_true(r.switches <= 2);
        assert_true(r.probes <= 16); // one in five seconds, after the first ones
    }
}

// Eight phases that want the opposite of each other: computing with rare operations (a target that is not asked
// by a ghost lets them wait), then dense communication (the ghost has too much to do).
static void follows_phases(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct sim_world w = {.nphases = 8, .noise = 0.5, .per_call = 1, .seed = seed};
        struct sim_result r;
        for (int i = 0; i < w.nphases; i++)
            w.phase[i] = i % 2 ? phase(20, 10, 3) : phase(300, 2400, 3);
        sim_run(&w, &shipped, &r);
        for (int i = 0; i < w.nphases; i++) {
            assert_within(r.slower[i], 0.05, i % 2 ? "COMM phase" : "COMP phase", seed);
            if (r.follow_s[i] > 2 * INTERVAL_S)
                fail_msg("seed %lu: phase %d was followed after %.1f intervals",
                         (unsigned long)seed, i, r.follow_s[i] / INTERVAL_S);
        }
        assert_within(r.slower_all, 0.03, "all phases", seed);
    }
}

// Whatever a change of the route stirs up at first is no figure of the new one.
static void waits_until_a_route_has_settled(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct sim_world w = {.nphases = 1, .noise = 0.5, .per_call = 1, .seed = seed};
        struct sim_result r;
        w.phase[0] = phase(30, 22, 4);
        w.stir = 1.5;
        w.stir_s = INTERVAL_S;
        sim_run(&w, &shipped, &r);
        assert_within(r.slower_all, 0.07, "cheaper only after a while", seed);
    }
}

// Phases of all kinds, in long rows.
static void lives_with_random_phases(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t random = seed;
        struct sim_world w = {.nphases = SIM_PHASES, .noise = 0.5, .per_call = 1, .seed = seed};
        struct sim_result r;
        for (int i = 0; i < w.nphases; i++) {
            double on = (double)(1 + unit_random(&random) % 1000);
            double off = on * 0.05 * (double)(1 + unit_random(&random) % 100);
            w.phase[i] = phase(on, off, 1 + (double)(unit_random(&random) % 4));
        }
        sim_run(&w, &shipped, &r);
        assert_within(r.slower_all, 0.05, "random phases", seed);
    }
}

// A probe of a route on which an operation waits for tens of milliseconds ends early and comes seldom.
static void a_bad_probe_is_cheap(void **state)
{
    (void)state;
    struct sim_world w = {.nphases = 1, .noise = 0.5, .per_call = 1, .seed = 1};
    struct sim_result r;
    w.phase[0] = phase(10, 30000, 20);
    sim_run(&w, &shipped, &r);
    assert_within(r.slower_all, 0.02, "waits of 30 ms", 1);
    assert_int_equal(r.switches, 0);
}

// A probe in which the program begins to do many operations at once, each much cheaper, would find the other route to be the
// cheaper one, whichever it is.
static void a_phase_may_begin_in_a_probe(void **state)
{
    (void)state;
    static const double us[2][CSP_ADAPT_ROUTES] = {{300, 320}, {15, 40}};
    const uint64_t step_ns = CSP_ADAPT_INTERVAL_NS / CSP_ADAPT_REPORTS;
    struct csp_adapt a;
    struct csp_adapt_done done = {0};
    int begun = 0, dear = 0, steps = 0;
    csp_adapt_begin(&a, &shipped, CSP_ADAPT_ON, 0);
    for (uint64_t now_ns = step_ns; steps < 40; now_ns += step_ns) {
        begun |= a.probes > 1 && a.now == CSP_ADAPT_OFF;
        double each_ns = us[begun][a.now] * 1e3;
        done.units += begun ? (uint64_t)((double)step_ns / each_ns) : 10;
        done.ns += begun ? step_ns : (uint64_t)(10 * each_ns);
        done.calls += 10;
        steps += begun;
        dear += begun && a.now == CSP_ADAPT_OFF;
        csp_adapt_step(&a, now_ns, done);
    }
    assert_int_equal(a.home, CSP_ADAPT_ON);
    assert_true(dear <= 6 * CSP_ADAPT_REPORTS);
}

// A phase of many operations at a time, each much cheaper than those of the phase before, whichever route it takes: what of
// the chosen route is still measured in the phase before makes the other one look cheap.
static void a_cheaper_phase_is_no_reason(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4 * SEEDS; seed++) {
        uint64_t random = seed;
        struct sim_world w = {.nphases = 12, .noise = 0.5, .per_call = 1, .seed = seed};
        struct sim_result r;
        for (int i = 0; i < w.nphases; i++) {
            double length_s = 1 + 0.001 * (double)(unit_random(&random) % 100);
            w.phase[i] = i % 2 ? dense(10, 40, length_s, 100) : sparse(300, 1500, length_s);
        }
        sim_run(&w, &shipped, &r);
        for (int i = 0; i < w.nphases; i++)
            assert_within(r.slower[i], 0.25, i % 2 ? "many at a time" : "one at a time", seed);
        assert_within(r.slower_all, 0.06, "all phases", seed);
    }
}

// Computing with rare operations, whose waits differ by more than what an operation costs in the phases of many: how
// many are done between two waits shows the phase when the costs do not.
static void follows_phases_behind_noise(void **state)
{
    (void)state;
    int late = 0, all = 0;
    for (uint64_t seed = 1; seed <= 4 * SEEDS; seed++) {
        struct sim_world w = {.nphases = 8, .noise = 0.5, .per_call = 1, .seed = seed};
        struct sim_result r;
        for (int i = 0; i < w.nphases; i++) {
            w.phase[i] = i % 2 ? dense(40, 15, 3, 50) : sparse(100, 1200, 3);
            w.phase[i].tail = i % 2 ? 0 : 60;
        }
        sim_run(&w, &shipped, &r);
        for (int i = 1; i < w.nphases; i += 2) {
            assert_true(r.follow_s[i] <= 6 * INTERVAL_S);
            late += r.follow_s[i] > 2 * INTERVAL_S;
            all++;
        }
        assert_within(r.slower_all, 0.05, "all phases", seed);
    }
    assert_true(10 * late <= all); // where the chosen route was just measured with luck
}

// Nothing to measure, nothing to decide.
static void idle_is_no_measurement(void **state)
{
    (void)state;
    struct csp_adapt a;
    csp_adapt_begin(&a, &shipped, CSP_ADAPT_ON, 5);
    for (uint64_t ns = 5; ns < 10000000000; ns += 1000000)
        assert_int_equal(csp_adapt_step(&a, ns, (struct csp_adapt_done){1, 1, 0}), CSP_ADAPT_ON);
    assert_int_equal(a.probes, 0);
}

// For tests of what follows from changes.
static void alternates_if_asked(void **state)
{
    struct csp_adapt a;
    struct csp_adapt_config config = shipped;
    struct csp_adapt_done done = {0};
    (void)state;
    config.alternate = 1;
    csp_adapt_begin(&a, &config, CSP_ADAPT_ON, 0);
    enum csp_adapt_route before = CSP_ADAPT_ON;
    for (uint64_t now = config.interval_ns; now < 10 * config.interval_ns;
         now += config.interval_ns) {
        assert_int_equal(csp_adapt_step(&a, now, done), before); // no call
        done.calls++;
        done.units++;
        enum csp_adapt_route route = csp_adapt_step(&a, now, done);
        assert_int_equal(route, csp_adapt_other(before));
        before = route;
    }
    assert_int_equal(a.switches, 9);
    assert_int_equal(a.probes, 0);
}

int main(void)
{
    shipped = csp_adapt_config_for(CSP_ADAPT_INTERVAL_NS);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_better_route),
        cmocka_unit_test(does_not_flap),
        cmocka_unit_test(follows_phases),
        cmocka_unit_test(a_bad_probe_is_cheap),
        cmocka_unit_test(idle_is_no_measurement),
        cmocka_unit_test(lives_with_random_phases),
        cmocka_unit_test(alternates_if_asked),
        cmocka_unit_test(waits_until_a_route_has_settled),
        cmocka_unit_test(a_phase_may_begin_in_a_probe),
        cmocka_unit_test(follows_phases_behind_noise),
        cmocka_unit_test(a_cheaper_phase_is_no_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
