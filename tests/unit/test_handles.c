// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "base/handles.h"

#include "unit.h"

enum { KEYS = 3000, STEPS = 300000 };

static struct csp_handles handles = CSP_HANDLES_INIT;
static char objects[KEYS][2];
static char *now[KEYS]; // the model

static void test_as_the_model(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int step = 0; step < STEPS; step++) {
        uintptr_t key = unit_random(&seed) % KEYS;
        char *object = &objects[key][unit_random(&seed) % 2];
        switch (unit_random(&seed) % 5) {
        case 0:
        case 1:
            csp_handles_put(&handles, key + 2, object);
            now[key] = object;
            break;
        case 2:
            csp_handles_drop(&handles, key + 2, NULL);
            now[key] = NULL;
            break;
        default:
            csp_handles_drop(&handles, key + 2, object); // not if it is the other one
            now[key] = now[key] == object ? NULL : now[key];
        }
        key = unit_random(&seed) % KEYS;
        assert_ptr_equal(csp_handles_find(&handles, key + 2), now[key]);
    }
}

static void test_no_handle(void **state)
{
    static struct csp_handles none = CSP_HANDLES_INIT;
    (void)state;
    assert_null(csp_handles_find(&none, 5));
    csp_handles_drop(&none, 5, "");
    csp_handles_put(&none, 5, "");
    assert_null(csp_handles_find(&none, 0));
    assert_null(csp_handles_find(&none, 1));
}

// A few at a time, and always others, as a library that allocates them gives: tables that are kept do not become more and more.
static void test_new_handles_all_the_time(void **state)
{
    enum { LIVE = 8, MOST = 3 };
    static struct csp_handles few = CSP_HANDLES_INIT;
    uint64_t seed = 3;
    uintptr_t live[LIVE] = {0};
    const struct csp_handles_table *last = NULL;
    int tables = 0;
    (void)state;
    for (int step = 0; step < STEPS; step++) {
        uintptr_t *at = &live[unit_random(&seed) % LIVE];
        if (*at)
            csp_handles_drop(&few, *at, at);
        *at = (uintptr_t)unit_random(&seed) | 2;
        csp_handles_put(&few, *at, at);
        assert_ptr_equal(csp_handles_find(&few, *at), at);
        tables += few.current != last;
        last = few.current;
    }
    assert_in_range(tables, 1, MOST);
    for (int i = 0; i < LIVE; i++)
        assert_ptr_equal(csp_handles_find(&few, live[i]), &live[i]);
}

// What stays is found at any time, whatever others put and drop.
enum { STAY = 12, READERS = 2 };
static struct csp_handles crowd = CSP_HANDLES_INIT;
static uintptr_t stay[STAY];
static _Atomic int over;

static void *read_or_write(void *worker)
{
    int me = *(int *)worker;
    uint64_t seed = 5 + (uint64_t)me;
    uintptr_t key = 0;
    for (int step = 0; me == 0 && step < STEPS; step++) {
        csp_handles_drop(&crowd, key, NULL);
        key = (uintptr_t)unit_random(&seed) | 3;
        csp_handles_put(&crowd, key, &key);
    }
    for (int i = 0; me > 0 && !over; i = (i + 1) % STAY)
        assert_ptr_equal(csp_handles_find(&crowd, stay[i]), &stay[i]);
    over = 1;
    return NULL;
}

static void test_readers_beside_a_writer(void **state)
{
    uint64_t seed = 4;
    int workers[1 + READERS] = {0, 1, 2};
    (void)state;
    for (int i = 0; i < STAY; i++) {
        stay[i] = ((uintptr_t)unit_random(&seed) & ~(uintptr_t)3) + 4;
        csp_handles_put(&crowd, stay[i], &stay[i]);
    }
    unit_threads(1 + READERS, read_or_write, workers, sizeof(workers[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_the_model),
                                       cmocka_unit_test(test_no_handle),
                                       cmocka_unit_test(test_new_handles_all_the_time),
                                       cmocka_unit_test(test_readers_beside_a_writer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
