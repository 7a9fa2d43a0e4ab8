// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "shm/ring.h"

#include <sched.h>
#include "unit.h"

enum { ITEMS = 1000000 };

static struct csp_ring ring;

static void test_full_and_empty(void **state)
{
    uint64_t off = 0;
    (void)state;
    assert_int_equal(csp_ring_take(&ring, &off), 0);
    for (uint64_t i = 0; i < CSP_RING_SLOTS; i++)
        assert_int_equal(csp_ring_put(&ring, i), 1);
    assert_int_equal(csp_ring_put(&ring, 0), 0);
    assert_int_equal(csp_ring_empty(&ring), 0);
    for (uint64_t i = 0; i < CSP_RING_SLOTS; i++) {
        assert_int_equal(csp_ring_take(&ring, &off), 1);
        assert_int_equal(off, i);
    }
    assert_int_equal(csp_ring_empty(&ring), 1);
}

// What an offset points to must be there when it is taken.
static uint64_t cells[2 * CSP_RING_SLOTS];

static void *side(void *arg)
{
    uint64_t off;
    if (*(int *)arg == 0) {
        for (uint64_t i = 0; i < ITEMS; i++) {
            cells[i % (2 * CSP_RING_SLOTS)] = i;
            while (!csp_ring_put(&ring, i))
                sched_yield();
        }
        return NULL;
    }
    for (uint64_t i = 0; i < ITEMS; i++) {
        while (!csp_ring_take(&ring, &off))
            sched_yield();
        assert_int_equal(off, i);
        assert_int_equal(cells[off % (2 * CSP_RING_SLOTS)], i);
    }
    return NULL;
}

static void test_in_order_between_two(void **state)
{
    int sides[] = {0, 1};
    (void)state;
    unit_threads(2, side, sides, sizeof(sides[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_full_and_empty),
                                       cmocka_unit_test(test_in_order_between_two)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
