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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_the_model),
                                       cmocka_unit_test(test_no_handle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
