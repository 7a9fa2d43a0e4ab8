// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "base/log.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static int reset(void **state)
{
    (void)state;
    csp_log_set_who("");
    csp_log_level = CSP_LOG_WARN;
    return 0;
}

static void lines_have_level_and_speaker(void **state)
{
    (void)state;
    unit_capture_begin();
    csp_error("no speaker");
    csp_log_set_who("urank 3");
    csp_warn("%d of %s", 1, "two");
    csp_log_set_who("ghost 0 on node 1");
    csp_error("again");
    assert_string_equal(unit_capture_end(), "casper: error: no speaker\n"
                                            "casper: warn: [urank 3] 1 of two\n"
                                            "casper: error: [ghost 0 on node 1] again\n");
}

static int evaluated;

static const char *argument(void)
{
    evaluated++;
    return "x";
}

static void quiet_levels_cost_nothing(void **state)
{
    (void)state;
    evaluated = 0;
    unit_capture_begin();
    csp_info("%s", argument());
    csp_debug("%s", argument());
    csp_log_level = CSP_LOG_INFO;
    csp_info("shown %s", argument());
    csp_debug("%s", argument());
    assert_string_equal(unit_capture_end(), "casper: info: shown x\n");
    assert_int_equal(evaluated, 1);
}

static void a_message_is_one_line(void **state)
{
    (void)state;
    static char text[5000];
    unit_capture_begin();
    csp_error("a\nb\tc\x1b[1m");
    memset(text, 'y', sizeof text - 1);
    csp_error("%s", text);
    const char *out = unit_capture_end();
    const char *first = "casper: error: a b c [1m\n";
    assert_memory_equal(out, first, strlen(first));
    const char *second = out + strlen(first);
    assert_ptr_equal(strchr(second, '\n'), out + strlen(out) - 1);
    assert_true(strlen(second) > 2000 && strlen(second) < sizeof text);
}

static void errno_goes_in_and_survives(void **state)
{
    (void)state;
    unit_capture_begin();
    errno = ENOENT;
    csp_error("file: %m");
    assert_int_equal(errno, ENOENT);
    assert_string_equal(unit_capture_end(), "casper: error: file: No such file or directory\n");
}

static void long_speaker_is_cut(void **state)
{
    (void)state;
    char name[200];
    memset(name, 'w', sizeof name - 1);
    name[sizeof name - 1] = 0;
    csp_log_set_who(name);
    unit_capture_begin();
    csp_error("t");
    assert_int_equal(strlen(unit_capture_end()), strlen("casper: error: [] t\n") + 63);
}

static void hook(void)
{
    static const char text[] = "hook\n";
    ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
    (void)n;
    csp_log_die(__FILE__, __LINE__, "died in the hook");
}

static void die_body(void *arg)
{
    if (arg)
        csp_log_die_hook = hook;
    CSP_CHECK(1 + 1 == 2, "not said");
    CSP_CHECK(1 + 1 == 3, "sum is %d", 1 + 1);
}

static void a_failed_check_ends_the_process(void **state)
{
    (void)state;
    assert_true(unit_dies(die_body, NULL, "casper: error: sum is 2 (test_log.c:"));
    assert_true(unit_dies(die_body, "hook", "hook\ncasper: error: died in the hook"));
}

enum { SPEAKERS = 4, LINES = 40 };

static void *speak(void *arg)
{
    (void)arg;
    for (int i = 0; i < LINES; i++)
        csp_error("speaks");
    return NULL;
}

static void threads_do_not_mix_lines(void **state)
{
    (void)state;
    static const char line[] = "casper: error: speaks\n";
    char none[SPEAKERS];
    unit_capture_begin();
    unit_threads(SPEAKERS, speak, none, 1);
    const char *out = unit_capture_end();
    for (int i = 0; i < SPEAKERS * LINES; i++, out += strlen(line))
        assert_memory_equal(out, line, strlen(line));
    assert_string_equal(out, "");
}

static void *read_later(void *arg)
{
    static char all[1 << 20];
    int from = *(int *)arg;
    size_t used = 0;
    usleep(100000);
    for (ssize_t n;
         used < sizeof all - 1 && (n = read(from, all + used, sizeof all - 1 - used)) > 0;)
        used += (size_t)n;
    all[used] = 0;
    return all;
}

static void a_full_pipe_that_does_not_block_is_waited_for(void **state)
{
    (void)state;
    int ends[2], saved = dup(STDERR_FILENO);
    pthread_t reader;
    void *all;
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    while (write(ends[1], "........", 8) > 0) // until it is full
        ;
    assert_int_equal(fcntl(ends[0], F_SETFL, 0), 0);
    dup2(ends[1], STDERR_FILENO);
    pthread_create(&reader, NULL, read_later, &ends[0]);
    csp_error("late");
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(ends[1]);
    pthread_join(reader, &all);
    close(ends[0]);
    assert_non_null(strstr(all, ".casper: error: late\n"));
}

static void every_status_has_a_name(void **state)
{
    (void)state;
    for (int i = CSP_OK; i <= CSP_ERR_MPI; i++) {
        assert_string_not_equal(csp_status_string((enum csp_status)i), "unknown status");
        for (int j = CSP_OK; j < i; j++)
            assert_string_not_equal(csp_status_string((enum csp_status)i),
                                    csp_status_string((enum csp_status)j));
    }
    assert_string_equal(csp_status_string((enum csp_status)99), "unknown status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(lines_have_level_and_speaker, reset),
        cmocka_unit_test_setup(quiet_levels_cost_nothing, reset),
        cmocka_unit_test_setup(a_message_is_one_line, reset),
        cmocka_unit_test_setup(errno_goes_in_and_survives, reset),
        cmocka_unit_test_setup(long_speaker_is_cut, reset),
        cmocka_unit_test_setup(a_failed_check_ends_the_process, reset),
        cmocka_unit_test_setup(threads_do_not_mix_lines, reset),
        cmocka_unit_test_setup(a_full_pipe_that_does_not_block_is_waited_for, reset),
        cmocka_unit_test_setup(every_status_has_a_name, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
