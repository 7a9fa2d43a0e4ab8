// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "base/bufs.h"

#include <stdlib.h>
#include <string.h>

struct thing {
    struct csp_buf buf;
    int number;
    char data[];
};

enum { KEEP = 64 << 10 };

static struct csp_bufs bufs;

static int make(void **state)
{
    (void)state;
    bufs = (struct csp_bufs){.head_bytes = sizeof(struct thing), .keep_bytes = KEEP};
    return 0;
}

static int drop(void **state)
{
    (void)state;
    csp_bufs_free(&bufs);
    return bufs.kept_bytes != 0 || bufs.used_bytes != 0;
}

static struct thing *take(size_t bytes)
{
    struct thing *t = csp_bufs_take(&bufs, bytes);
    assert_non_null(t);
    assert_true(t->buf.room >= bytes);
    memset(t->data, 0xa5, bytes);
    return t;
}

static void kept_for_the_next(void **state)
{
    (void)state;
    struct thing *small = take(100), *large = take(9000);
    csp_bufs_give(&bufs, &small->buf);
    csp_bufs_give(&bufs, &large->buf);
    assert_ptr_equal(take(16000), large); // both are in the class of 16 KB
    assert_ptr_equal(take(0), small);
    assert_int_equal(bufs.kept_bytes, 0);
    assert_int_equal(bufs.used_bytes, small->buf.room + large->buf.room);
    csp_bufs_give(&bufs, &small->buf);
    csp_bufs_give(&bufs, &large->buf);
    assert_int_equal(bufs.used_bytes, 0);
}

static void a_small_one_never_serves_a_large_request(void **state)
{
    (void)state;
    struct thing *small = take(1024);
    csp_bufs_give(&bufs, &small->buf);
    struct thing *next = take(1024 + CSP_BUFS_EXTRA + 1);
    assert_ptr_not_equal(next, small);
    csp_bufs_give(&bufs, &next->buf);
}

static void keeps_no_more_than_it_may(void **state)
{
    (void)state;
    enum { N = 16 };
    struct thing *t[N];
    for (int i = 0; i < N; i++)
        t[i] = take(8 << 10);
    for (int i = 0; i < N; i++)
        csp_bufs_give(&bufs, &t[i]->buf);
    const size_t room = (8 << 10) + CSP_BUFS_EXTRA;
    assert_int_equal(bufs.kept_bytes, KEEP / room * room);
    csp_bufs_give(&bufs, &take(8 << 20)->buf); // larger than every class
    assert_int_equal(bufs.kept_bytes, KEEP / room * room);
}

static void others_give_way_to_the_size_in_use(void **state)
{
    (void)state;
    enum { N = 7 };
    struct thing *t[N], *large = take(32 << 10);
    for (int i = 0; i < N; i++)
        t[i] = take(8 << 10);
    for (int i = 0; i < N; i++)
        csp_bufs_give(&bufs, &t[i]->buf);
    csp_bufs_give(&bufs, &large->buf);
    assert_true(bufs.kept_bytes <= KEEP);
    assert_true(bufs.kept_bytes > KEEP / 2);
    assert_ptr_equal(take(32 << 10), large);
    csp_bufs_give(&bufs, &large->buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kept_for_the_next, make, drop),
        cmocka_unit_test_setup_teardown(a_small_one_never_serves_a_large_request, make, drop),
        cmocka_unit_test_setup_teardown(keeps_no_more_than_it_may, make, drop),
        cmocka_unit_test_setup_teardown(others_give_way_to_the_size_in_use, make, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
