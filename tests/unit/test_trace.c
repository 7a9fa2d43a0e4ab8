// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

enum { MS = 1000000 };

static const struct csp_trace_proc procs[] = {{0, 1}, {4, 0}};
static char *text;
static size_t bytes;

static struct csp_trace *begin(void)
{
    return csp_trace_begin(open_memstream(&text, &bytes), 3, procs, 2, 10 * MS, 100, 100);
}

static void expect(const char *line)
{
    if (!strstr(text, line))
        fail_msg("lacks %s:\n%s", line, text);
}

static int times(const char *line)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, line)); at++)
        n++;
    return n;
}

static void spans_last_while_nothing_changes(void **state)
{
    (void)state;
    struct csp_trace *t = begin();
    struct csp_trace_look looks[2] = {{0}};
    uint64_t now = 100;
    for (int i = 0; i < 6; i++) { // 30 ms in MPI, then 30 ms outside
        now += 10 * MS;
        looks[1].mpi_ns += i < 3 ? 9 * MS : 0;
        looks[0].busy_ns += i == 1 ? MS : 0;
        csp_trace_step(t, now, looks);
    }
    csp_trace_end(t, now, looks);
    expect("{\"ph\": \"M\", \"pid\": 3, \"tid\": 4, \"name\": \"thread_name\", \"args\": "
           "{\"name\": \"rank 4\"}}");
    expect("\"tid\": 4, \"ts\": 0.0, \"dur\": 30000.0, \"name\": \"MPI\"}");
    expect("\"tid\": 4, \"ts\": 30000.0, \"dur\": 30000.0, \"name\": \"computes\"}");
    expect("\"tid\": 1000000, \"ts\": 10000.0, \"dur\": 10000.0, \"name\": \"busy\"}");
    assert_int_equal(times("\"ph\": \"X\""), 3);  // an idle ghost has none
    assert_int_equal(times("rank 4: in MPI"), 2); // only when it changes
    expect("\"ts\": 0.0, \"name\": \"rank 4: in MPI\", \"args\": {\"%\": 90}}");
    assert_string_equal(text + bytes - 3, "\n]\n");
    free(text);
}

// A job that dies leaves what its processes do since long.
static void open_spans_are_in_what_was_flushed(void **state)
{
    (void)state;
    struct csp_trace *t = begin();
    struct csp_trace_look looks[2] = {{0}};
    for (int i = 1; i <= 3; i++) {
        csp_trace_step(t, 100 + (uint64_t)i * 10 * MS, looks);
        csp_trace_flush(t);
        expect("{\"ph\": \"B\", \"pid\": 3, \"tid\": 4, \"ts\": 0.0, \"name\": \"computes\"}");
    }
    looks[1].mpi_ns += 10 * MS;
    csp_trace_step(t, 100 + 40 * MS, looks);
    looks[1].mpi_ns += 10 * MS;
    csp_trace_end(t, 100 + 50 * MS, looks);
    assert_int_equal(times("\"ph\": \"B\""), 1); // idle ghosts have none
    assert_int_equal(times("{\"ph\": \"E\", \"pid\": 3, \"tid\": 4, \"ts\": 30000.0}"), 1);
    expect("\"ph\": \"X\", \"pid\": 3, \"tid\": 4, \"ts\": 30000.0, \"dur\": 20000.0, \"name\": "
           "\"MPI\"}");
    assert_int_equal(times("\"ph\": \"E\""), 1);
    free(text);
}

static void operations_by_the_way_they_took(void **state)
{
    (void)state;
    struct csp_trace *t = begin();
    struct csp_trace_look looks[2] = {{0}};
    looks[1] = (struct csp_trace_look){
        .by_direct = 1, .by_ghost = 20, .by_target = 3, .waited_ns = 5 * MS};
    csp_trace_step(t, 100 + 10 * MS, looks);
    csp_trace_end(t, 100 + 10 * MS, looks);
    expect("\"load/store\": 100, \"ghosts\": 2000, \"targets\": 300}");
    expect("rank 4: waits\", \"args\": {\"%\": 50}}");
    free(text);
}

static void changes_say_why(void **state)
{
    (void)state;
    struct csp_trace *t = begin();
    struct csp_trace_look looks[2] = {{0}};
    csp_trace_change(t, &(struct csp_change){.ns = 7000,
                                             .gid = 0x1f,
                                             .who = 2,
                                             .by = CSP_CHANGE_MEASURED,
                                             .off = 1,
                                             .with = 2500,
                                             .without = 1200});
    csp_trace_change(t, &(struct csp_change){.who = 5, .by = CSP_CHANGE_PREDICTED, .with = 12});
    csp_trace_change(t,
                     &(struct csp_change){.gid = 0x2, .who = -1, .by = CSP_CHANGE_SAID, .off = 1});
    csp_trace_more_changes(t, 7);
    csp_trace_end(t, 200, looks);
    expect("\"ts\": 7.0, \"cat\": \"off\", \"name\": \"window 1f, targets of node 2: off\", "
           "\"args\": {\"users "
           "waited for an operation (for each 4 KB of a larger one) with ghosts, us\": 2.500, "
           "\"without\": 1.200}}");
    expect("\"cat\": \"on\", \"name\": \"target rank 5: on\", \"args\": {\"% of its time in MPI\": "
           "12}}");
    expect("\"name\": \"more_changes\", \"args\": {\"count\": 7}}");
    expect("\"name\": \"window 2: off\", \"args\": {\"by\": \"the program\"}}");
    free(text);
}

static void looks_become_rare(void **state)
{
    (void)state;
    struct csp_trace *t = begin();
    struct csp_trace_look looks[2] = {{0}};
    int n = 0;
    uint64_t hour_ns = UINT64_C(3600) * 1000 * MS;
    for (uint64_t now = csp_trace_due_ns(t); now < hour_ns; now = csp_trace_due_ns(t), n++)
        csp_trace_step(t, now, looks);
    assert_in_range(n, 2000, 20000);
    csp_trace_end(t, hour_ns, looks);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_last_while_nothing_changes),
        cmocka_unit_test(open_spans_are_in_what_was_flushed),
        cmocka_unit_test(operations_by_the_way_they_took),
        cmocka_unit_test(changes_say_why),
        cmocka_unit_test(looks_become_rare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
