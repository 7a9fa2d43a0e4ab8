// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "base/config_parse.h"

#include <string.h>

static void integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"7", 7},
                {"+7", 7},
                {"-7", -7},
                {"007", 7},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775807", -INT64_MAX}};
    static const char *const bad[] = {"",
                                      "-",
                                      "+",
                                      " 1",
                                      "1 ",
                                      "1x",
                                      "0x10",
                                      "1.5",
                                      "1e3",
                                      "--1",
                                      "9223372036854775808",
                                      "99999999999999999999999",
                                      "18446744073709551616"};
    int64_t v;
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(csp_config_parse_int(good[i].text, &v), CSP_OK);
        assert_true(v == good[i].value);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        v = 42;
        assert_int_equal(csp_config_parse_int(bad[i], &v), CSP_ERR_ARG);
        assert_true(v == 42);
    }
}

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {{"0", 0},
                {"1", 1},
                {"1K", 1024},
                {"1k", 1024},
                {"3M", 3u << 20},
                {"2g", UINT64_C(2) << 30},
                {"1T", UINT64_C(1) << 40},
                {"18446744073709551615", UINT64_MAX},
                {"16777215T", UINT64_C(16777215) << 40}};
    static const char *const bad[] = {"",    "K",    "-1",        "+1",
                                      "1KB", "1 K",  "1.5M",      "1X",
                                      "1KK", "0x4K", "16777216T", "18446744073709551616"};
    uint64_t v;
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_int_equal(csp_config_parse_size(good[i].text, &v), CSP_OK);
        assert_true(v == good[i].value);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        v = 42;
        assert_int_equal(csp_config_parse_size(bad[i], &v), CSP_ERR_ARG);
        assert_true(v == 42);
    }
}

static void truth_values(void **state)
{
    (void)state;
    static const char *const on[] = {"1", "on", "yes", "true", "ON", "Yes", "TRUE"};
    static const char *const off[] = {"0", "off", "no", "false", "Off", "NO", "False"};
    static const char *const bad[] = {"", "2", "y", "onn", "0|1", "|"};
    int v;
    for (size_t i = 0; i < COUNT(on); i++) {
        assert_int_equal(csp_config_parse_bool(on[i], &v), CSP_OK);
        assert_int_equal(v, 1);
    }
    for (size_t i = 0; i < COUNT(off); i++) {
        assert_int_equal(csp_config_parse_bool(off[i], &v), CSP_OK);
        assert_int_equal(v, 0);
    }
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(csp_config_parse_bool(bad[i], &v), CSP_ERR_ARG);
}

static void enums(void **state)
{
    (void)state;
    static const char values[] = "auto|spin|sleep";
    int v;
    assert_int_equal(csp_config_parse_enum("auto", values, &v), CSP_OK);
    assert_int_equal(v, 0);
    assert_int_equal(csp_config_parse_enum("SLEEP", values, &v), CSP_OK);
    assert_int_equal(v, 2);
    assert_int_equal(csp_config_parse_enum("aut", values, &v), CSP_ERR_ARG);
    assert_int_equal(csp_config_parse_enum("auto|spin", values, &v), CSP_ERR_ARG);
    assert_int_equal(csp_config_parse_enum("", values, &v), CSP_ERR_ARG);
    assert_int_equal(csp_config_list_nearest(values, "spni"), 1);
    assert_int_equal(csp_config_list_nearest(values, "sleeep"), 2);
    assert_null(csp_config_list_item(values, 3, &v));
    assert_null(csp_config_list_item(values, 9, &v));
    assert_ptr_equal(csp_config_list_item(values, 1, &v), values + 5);
    assert_int_equal(v, 4);
}

static void sizes_are_written_as_they_are_read(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        const char *text;
    } rows[] = {{0, "0"},
                {1, "1"},
                {1023, "1023"},
                {1024, "1K"},
                {1025, "1025"},
                {256u << 20, "256M"},
                {1536, "1536"},
                {UINT64_C(1) << 40, "1T"},
                {3072, "3K"},
                {UINT64_C(1) << 50, "1024T"},
                {UINT64_MAX, "18446744073709551615"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[24];
        uint64_t v;
        csp_config_format_size(rows[i].value, text, sizeof text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(csp_config_parse_size(text, &v), CSP_OK);
        assert_true(v == rows[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(sizes),
        cmocka_unit_test(truth_values),
        cmocka_unit_test(enums),
        cmocka_unit_test(sizes_are_written_as_they_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
