// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "base/nearest.h"

#include <string.h>

static unsigned distance(const char *a, const char *b)
{
    return csp_nearest_distance(a, strlen(a), b, strlen(b));
}

static void known_distances(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        unsigned distance;
    } rows[] = {
        {"", "", 0},
        {"", "abc", 3},
        {"abc", "abc", 0},
        {"abc", "ABC", 0},
        {"abc", "abx", 1},
        {"abc", "ab", 1},
        {"abc", "xabc", 1},
        {"abc", "acb", 1},
        {"ab", "ba", 1},
        {"kitten", "sitting", 3},
        {"ca", "abc", 3},
        {"CSP_GN", "CSP_NG", 1},
        {"abcdef", "badcfe", 3},
        {"a", "xyz", 3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(distance(rows[i].a, rows[i].b), rows[i].distance);
        assert_int_equal(distance(rows[i].b, rows[i].a), rows[i].distance);
    }
}

static void lengths_count_not_the_terminator(void **state)
{
    (void)state;
    assert_int_equal(csp_nearest_distance("CSP_NG=7", 6, "CSP_NG", 6), 0);
    assert_int_equal(csp_nearest_distance("warn|info", 4, "warn", 4), 0);
}

static void long_names_are_cut(void **state)
{
    (void)state;
    char a[500], b[500];
    memset(a, 'a', sizeof a);
    memset(b, 'b', sizeof b);
    assert_int_equal(csp_nearest_distance(a, sizeof a, b, sizeof b), 63);
    assert_int_equal(csp_nearest_distance(a, sizeof a, a, 63), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_distances),
        cmocka_unit_test(lengths_count_not_the_terminator),
        cmocka_unit_test(long_names_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
