// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "base/config.h"
#include "base/log.h"

#include <stdio.h>
#include <string.h>

static char *const nothing[] = {NULL};

static int reset(void **state)
{
    (void)state;
    return (int)csp_config_load(nothing, 1);
}

// Loads one "NAME=value"; what was said about it.
static const char *load_one(const char *entry, enum csp_status expected)
{
    char copy[128];
    snprintf(copy, sizeof copy, "%s", entry);
    char *const env[] = {"HOME=/", copy, "PATH=/bin", NULL};
    unit_capture_begin();
    enum csp_status status = csp_config_load(env, 1);
    const char *said = unit_capture_end();
    assert_int_equal(status, expected);
    return said;
}

static void defaults_hold_before_and_after(void **state)
{
    (void)state;
    assert_true(csp_config.ng == 1 && csp_config.pool_size == 256u << 20);
    assert_string_equal(load_one("CSPX=1", CSP_OK), "");
    assert_true(csp_config.ng == 1 && csp_config.pool_size == 256u << 20);
    assert_int_equal(csp_config.ghost_poll, CSP_CONFIG_GHOST_POLL_AUTO);
    assert_int_equal(csp_config.lock_defer, 1);
    assert_string_equal(csp_config.report_file, "");
    assert_int_equal(csp_log_level, CSP_LOG_WARN);
}

static void every_type_is_read(void **state)
{
    (void)state;
    char *const env[] = {"CSP_NG=4",       "CSP_POOL_SIZE=2G",     "CSP_LOCK_DEFER=off",
                         "CSP_LOG=DEBUG",  "CSP_REPORT_FILE=/a=b", "CSP_GHOST_POLL=sleep",
                         "CSP_REPORT=Yes", "CSP_GHOST_SPIN_US=0",  NULL};
    unit_capture_begin();
    enum csp_status status = csp_config_load(env, 1);
    assert_string_equal(unit_capture_end(), "");
    assert_int_equal(status, CSP_OK);
    assert_true(csp_config.ng == 4 && csp_config.pool_size == UINT64_C(2) << 30);
    assert_true(csp_config.lock_defer == 0 && csp_config.report == 1);
    assert_int_equal(csp_log_level, CSP_LOG_DEBUG);
    assert_int_equal(csp_config.ghost_poll, CSP_CONFIG_GHOST_POLL_SLEEP);
    assert_true(csp_config.ghost_spin_us == 0);
    assert_string_equal(csp_config.report_file, "/a=b");
}

static void strings_outlive_the_environment(void **state)
{
    (void)state;
    char entry[] = "CSP_REPORT_FILE=abc";
    char *const env[] = {entry, NULL};
    assert_int_equal(csp_config_load(env, 1), CSP_OK);
    memset(entry, 'x', sizeof entry - 1);
    assert_string_equal(csp_config.report_file, "abc");
    assert_int_equal(csp_config_load(nothing, 1), CSP_OK);
    assert_string_equal(csp_config.report_file, "");
}

static void the_first_of_two_counts(void **state)
{
    (void)state;
    char *const env[] = {"CSP_NG=2", "CSP_NG=3", NULL};
    assert_int_equal(csp_config_load(env, 1), CSP_OK);
    assert_true(csp_config.ng == 2);
}

static void bad_values_are_named_with_the_nearest(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"CSP_NG=", "CSP_NG=: not a whole number from 0 to 64 (in force: CSP_NG=1)"},
        {"CSP_NG=two", "CSP_NG=two: not a whole number from 0 to 64 (in force: CSP_NG=1)"},
        {"CSP_NG=65",
         "CSP_NG=65: not a whole number from 0 to 64; nearest: 64 (in force: CSP_NG=1)"},
        {"CSP_NG=-1",
         "CSP_NG=-1: not a whole number from 0 to 64; nearest: 0 (in force: CSP_NG=1)"},
        {"CSP_NG=1K", "CSP_NG=1K: not a whole number from 0 to 64 (in force: CSP_NG=1)"},
        {"CSP_POOL_SIZE=1K",
         "CSP_POOL_SIZE=1K: not a size in bytes (suffixes K, M, G, T) from 1M to "
         "1T; nearest: 1M (in force: CSP_POOL_SIZE=256M)"},
        {"CSP_POOL_SIZE=2T",
         "CSP_POOL_SIZE=2T: not a size in bytes (suffixes K, M, G, T) from 1M to "
         "1T; nearest: 1T (in force: CSP_POOL_SIZE=256M)"},
        {"CSP_POOL_SIZE=1MB",
         "CSP_POOL_SIZE=1MB: not a size in bytes (suffixes K, M, G, T) from 1M "
         "to 1T (in force: CSP_POOL_SIZE=256M)"},
        {"CSP_LOG=wran",
         "CSP_LOG=wran: not one of error|warn|info|debug; nearest: warn (in force: CSP_LOG=warn)"},
        {"CSP_REPORT=onn", "CSP_REPORT=onn: not one of 0|1|off|on|no|yes|false|true; nearest: "
                           "on (in force: CSP_REPORT=0)"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char line[256];
        snprintf(line, sizeof line, "casper: error: %s\n", rows[i][1]);
        assert_string_equal(load_one(rows[i][0], CSP_ERR_ARG), line);
        assert_true(csp_config.ng == 1 && csp_config.pool_size == 256u << 20);
    }
}

static void unknown_names_are_named_with_the_nearest(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"CSP_GN=1", "unknown variable CSP_GN; nearest: CSP_NG"},
        {"CSP_ng=1", "unknown variable CSP_ng; nearest: CSP_NG"},
        {"CSP_POOLSIZE=1", "unknown variable CSP_POOLSIZE; nearest: CSP_POOL_SIZE"},
        {"CSP_GHOST_SLEEP_US=1", "unknown variable CSP_GHOST_SLEEP_US; nearest: CSP_GHOST_SPIN_US"},
        {"CSP_WATCHDOG=1", "unknown variable CSP_WATCHDOG; nearest: CSP_WATCHDOG_S"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char line[256];
        snprintf(line, sizeof line, "casper: error: %s\n", rows[i][1]);
        assert_string_equal(load_one(rows[i][0], CSP_ERR_ARG), line);
    }
}

static void a_quiet_process_says_nothing(void **state)
{
    (void)state;
    char *const env[] = {"CSP_NG=99", "CSP_FOO=1", "CSP_GHOST_SPIN_US=5", NULL};
    unit_capture_begin();
    enum csp_status status = csp_config_load(env, 0);
    assert_string_equal(unit_capture_end(), "");
    assert_int_equal(status, CSP_ERR_ARG);
    assert_true(csp_config.ghost_spin_us == 5); // the good ones are read all the same
}

static void every_problem_gets_its_line(void **state)
{
    (void)state;
    char *const env[] = {"CSP_NG=99", "CSP_FOO=1", "CSP_LOG=x", NULL};
    unit_capture_begin();
    enum csp_status status = csp_config_load(env, 1);
    const char *said = unit_capture_end();
    int lines = 0;
    for (const char *s = said; (s = strchr(s, '\n')); s++)
        lines++;
    assert_int_equal(status, CSP_ERR_ARG);
    assert_int_equal(lines, 3);
}

static void thresholds_in_the_wrong_order(void **state)
{
    (void)state;
    char *const env[] = {"CSP_LOW_CR=81", NULL}, *const equal[] = {"CSP_LOW_CR=80", NULL};
    unit_capture_begin();
    enum csp_status status = csp_config_load(env, 1);
    assert_string_equal(unit_capture_end(),
                        "casper: error: CSP_LOW_CR=81 is above CSP_HIGH_CR=80\n");
    assert_int_equal(status, CSP_ERR_ARG);
    assert_int_equal(csp_config_load(equal, 1), CSP_OK);
}

static void effective_values_can_be_read_back(void **state)
{
    (void)state;
    char lines[64][128];
    char *env[65];
    unsigned n = 0;
    char *const set[] = {"CSP_NG=3",     "CSP_POOL_SIZE=1536K", "CSP_REPORT=on",
                         "CSP_LOG=info", "CSP_REPORT_FILE=f",   NULL};
    assert_int_equal(csp_config_load(set, 1), CSP_OK);
    while (csp_config_format(n, lines[n], sizeof lines[n])) {
        env[n] = lines[n];
        n++;
    }
    env[n] = NULL;
    assert_true(n >= 14);
    assert_string_equal(lines[0], "CSP_NG=3");
    assert_string_equal(lines[1], "CSP_LOG=info");
    assert_string_equal(lines[2], "CSP_POOL_SIZE=1536K");
    struct csp_config before = csp_config;
    assert_int_equal(csp_config_load(env, 1), CSP_OK);
    assert_string_equal(csp_config.report_file, "f");
    assert_string_equal(csp_config.trace, "");
    before.report_file = csp_config.report_file; // texts: other copies of the same
    before.trace = csp_config.trace;
    assert_memory_equal(&before, &csp_config, sizeof before);
    char small[5];
    assert_int_equal(csp_config_format(0, small, sizeof small), 1);
    assert_string_equal(small, "CSP_");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_hold_before_and_after),
        cmocka_unit_test_setup(every_type_is_read, reset),
        cmocka_unit_test_setup(strings_outlive_the_environment, reset),
        cmocka_unit_test_setup(the_first_of_two_counts, reset),
        cmocka_unit_test_setup(bad_values_are_named_with_the_nearest, reset),
        cmocka_unit_test_setup(unknown_names_are_named_with_the_nearest, reset),
        cmocka_unit_test_setup(a_quiet_process_says_nothing, reset),
        cmocka_unit_test_setup(every_problem_gets_its_line, reset),
        cmocka_unit_test_setup(thresholds_in_the_wrong_order, reset),
        cmocka_unit_test_setup(effective_values_can_be_read_back, reset),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return csp_config_load(nothing, 0) ? 1 : failed; // frees the strings
}
