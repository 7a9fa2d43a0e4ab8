// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Redirection by measurement in large jobs, up to 100,000 processes: the cheaper route is found as soon as in small ones. Reports
// do not grow with the nodes; changes of the route do, but are seldom.
#include "exchange_sim.h"
#include "unit.h"

#ifdef __SANITIZE_THREAD__ // there is one thread, and it is slow
enum { LARGEST = 4096 };
#else
enum { LARGEST = 100000 };
#endif

static struct exchange_routes routes(int users, enum exchange_targets targets, int long_one_in)
{
    struct exchange_routes_job job = {users, 64, targets, 50, long_one_in};
    struct exchange_routes r = exchange_routes(&job);
    assert_true(r.leave_ms >= 0 && r.leave_ms < 10);
    assert_int_equal(r.wrong, 0);
    return r;
}

static void finds(int users, enum exchange_targets targets)
{
    struct exchange_routes r = routes(users, targets, 0);
    print_message("%d nodes: found %g ms, followed %g ms, %g messages, busy %g, stopped %g\n",
                  r.nodes, r.found_ms, r.followed_ms, r.messages, r.busy, r.stopped);
    assert_true(r.found_ms > 0 && r.found_ms <= 250 && r.followed_ms > 0 && r.followed_ms <= 250);
    assert_true(r.right > 0.9 && r.stopped < 0.01);
    assert_true(r.messages < 128 + 0.5 * r.nodes && r.busy < 0.01);
}

static void measurement_finds_the_route_of_one_node_for_all_others(void **state)
{
    (void)state;
    finds(512, EXCHANGE_ONE_NODE);
    finds(LARGEST, EXCHANGE_ONE_NODE);
}

static void measurement_finds_the_routes_of_neighbours(void **state)
{
    (void)state;
    finds(1024, EXCHANGE_NEIGHBOURS);
    finds(8192, EXCHANGE_NEIGHBOURS);
}

static void measurement_finds_the_routes_of_all_for_all(void **state)
{
    (void)state;
    finds(1024, EXCHANGE_EVERYBODY);
    finds(4096, EXCHANGE_EVERYBODY);
}

// Where some waits take long by accident each of many keepers now and then sees another phase that is none.
static void noise_of_many_does_not_add_up_to_probes(void **state)
{
    (void)state;
    double alone = routes(256, EXCHANGE_NEIGHBOURS, 2000).right;
    for (int users = 1024; users <= 4096; users *= 4) {
        double many = routes(users, EXCHANGE_NEIGHBOURS, 2000).right;
        print_message("%d processes: %.3f of the time right\n", users, many);
        assert_true(many > 0.85 && many > alone - 0.05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measurement_finds_the_route_of_one_node_for_all_others),
        cmocka_unit_test(measurement_finds_the_routes_of_neighbours),
        cmocka_unit_test(measurement_finds_the_routes_of_all_for_all),
        cmocka_unit_test(noise_of_many_does_not_add_up_to_probes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
