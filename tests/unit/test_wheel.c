// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "adapt/wheel.h"

#include "unit.h"

enum { MANY = 300, GRID_NS = 10, ROUNDS = 20000, FAR_NS = 3 * CSP_WHEEL_SLOTS * GRID_NS };

struct entry {
    struct csp_timed timed;
    uint64_t at_ns; // 0: not in the wheel
};

// Nobody comes up more than a point of the grid late, nobody is lost, and few come up early: those further away than the wheel is large.
static void everybody_comes_up_in_time(void **state)
{
    (void)state;
    static struct entry all[MANY];
    struct csp_wheel w = {.grid_ns = GRID_NS};
    uint64_t now_ns = 1000003, due = 0, early = 0, seed = 1;
    for (int round = 0; round < ROUNDS; round++) {
        struct entry *e = &all[unit_random(&seed) % MANY];
        if (unit_random(&seed) % 4 == 0) {
            csp_timed_stop(&e->timed);
            e->at_ns = 0;
        } else {
            e->at_ns = now_ns + unit_random(&seed) % (unit_random(&seed) % 8 ? 500 : FAR_NS);
            csp_wheel_put(&w, &e->timed, e->at_ns);
        }
        now_ns += unit_random(&seed) % (unit_random(&seed) % 100 ? 20 : 2 * FAR_NS);
        struct csp_timed *list = NULL;
        csp_wheel_take(&w, now_ns, &list);
        while (list) {
            e = (struct entry *)(void *)list;
            csp_timed_stop(list);
            if (e->at_ns > now_ns) {
                early++;
                csp_wheel_put(&w, &e->timed, e->at_ns);
                continue;
            }
            due++;
            e->at_ns = 0;
        }
        uint64_t next_ns = csp_wheel_next_ns(&w);
        for (int i = 0; i < MANY; i++) {
            assert_true(all[i].at_ns == 0 || all[i].at_ns + GRID_NS > now_ns);
            assert_true(all[i].at_ns == 0 || all[i].at_ns + GRID_NS >= next_ns);
        }
    }
    assert_true(due > ROUNDS / 4 && early < due);
}

static void those_that_stop_leave_the_others(void **state)
{
    (void)state;
    struct csp_timed t[3] = {{0}}, *list = NULL;
    struct csp_wheel w = {.grid_ns = GRID_NS};
    csp_timed_stop(&t[0]); // in no list
    for (int i = 0; i < 3; i++)
        csp_wheel_put(&w, &t[i], 25);
    csp_timed_stop(&t[1]);
    csp_wheel_put(&w, &t[0], 55); // not twice
    assert_int_equal(csp_wheel_next_ns(&w), 30);
    csp_wheel_take(&w, 30, &list);
    assert_ptr_equal(list, &t[2]);
    assert_null(list->next);
    csp_timed_stop(&t[2]);
    assert_null(list);
    assert_int_equal(csp_wheel_next_ns(&w), 60);
    csp_timed_stop(&t[0]);
    assert_true(csp_wheel_next_ns(&w) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everybody_comes_up_in_time),
        cmocka_unit_test(those_that_stop_leave_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
