// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The canonical form, its limits, and what the constructors refuse.
#include "unit.h"
#include "dtype/layout_node.h"

#include <stdlib.h>
#include <string.h>

// A constructor whose child is made for it alone.
#define MAKE(call, out) assert_int_equal(call, CSP_OK), assert_non_null(out)

static struct csp_layout *block(int64_t n)
{
    struct csp_layout *l;
    MAKE(csp_layout_block(n, &l), l);
    return l;
}

static struct csp_layout *vector(struct csp_layout *child, int64_t count, int64_t len,
                                 int64_t stride)
{
    struct csp_layout *l;
    MAKE(csp_layout_hvector(child, count, len, stride, &l), l);
    csp_layout_free(child);
    return l;
}

static struct csp_layout *resized(struct csp_layout *child, int64_t lb, int64_t extent)
{
    struct csp_layout *l;
    MAKE(csp_layout_resized(child, lb, extent, &l), l);
    csp_layout_free(child);
    return l;
}

static struct csp_layout *indexed(struct csp_layout *child, int64_t n, const int64_t *len,
                                  const int64_t *disp)
{
    struct csp_layout *l;
    MAKE(csp_layout_hindexed(child, n, len, disp, &l), l);
    csp_layout_free(child);
    return l;
}

// Levels, nodes and words; frees it.
static void is_form(struct csp_layout *l, unsigned depth, unsigned nodes, unsigned words)
{
    assert_int_equal(csp_layout_check(l, csp_layout_bytes(l)), CSP_OK);
    assert_int_equal(l->depth, depth);
    assert_int_equal(l->node_count, nodes);
    assert_int_equal(l->word_count, words);
    csp_layout_free(l);
}

static void is_span(struct csp_layout_cursor *c, int64_t at, int64_t bytes, int64_t lo, int64_t hi)
{
    int64_t is_lo, is_hi;
    csp_layout_seek(c, at);
    csp_layout_span(c, bytes, &is_lo, &is_hi);
    assert_int_equal(is_lo, lo);
    assert_int_equal(is_hi, hi);
}

static void a_span_is_that_of_the_items(void **state)
{
    (void)state;
    struct csp_layout *l = resized(vector(block(8), 1000, 1, 32), 0, 64000);
    struct csp_layout_cursor c;
    assert_int_equal(csp_layout_begin(&c, l, 0, 3), CSP_OK);
    is_span(&c, 0, 1, 0, 8);
    is_span(&c, 12, 8, 32, 72);
    is_span(&c, 8000 - 16, 16, 998 * 32, 999 * 32 + 8);
    is_span(&c, 8000, 16, 64000, 64040);
    is_span(&c, 7999, 2, 0, 64000 + 999 * 32 + 8); // of two elements: all of both
    csp_layout_free(l);
}

static void vectors_become_as_few_loops_as_they_can(void **state)
{
    (void)state;
    is_form(vector(block(8), 10, 1, 8), 1, 1, 0);                    // a block
    is_form(vector(block(8), 10, 3, 24), 1, 1, 0);                   // a block
    is_form(vector(block(8), 10, 3, 32), 1, 1, 0);                   // a loop
    is_form(vector(block(8), 1, 3, 32), 1, 1, 0);                    // a block
    is_form(vector(vector(block(8), 4, 1, 16), 5, 1, 64), 1, 1, 0);  // a loop of 20
    is_form(vector(vector(block(8), 4, 1, 16), 5, 1, 100), 2, 2, 0); // two loops
    is_form(vector(resized(block(4), 0, 16), 7, 1, 16), 1, 1, 0);    // a loop
    is_form(vector(vector(vector(block(8), 3, 1, 0), 3, 1, 0), 2, 1, 0), 1, 1, 0);
    is_form(vector(block(0), 10, 3, 32), 0, 0, 0); // nothing
    is_form(vector(block(8), 0, 3, 32), 0, 0, 0);
    is_form(vector(block(8), 10, 0, 32), 0, 0, 0);
}

// [planes][rows][row] out of [..][16][20] doubles.
static struct csp_layout *subarray(int64_t planes, int64_t rows, int64_t row)
{
    return vector(vector(vector(block(8), 1, row, 0), rows, 1, 160), planes, 1, 16 * 160);
}

static void subarrays_have_two_loops_at_most(void **state)
{
    (void)state;
    is_form(subarray(4, 5, 6), 2, 2, 0);
    is_form(subarray(4, 16, 6), 1, 1, 0);
    is_form(subarray(4, 5, 20), 1, 1, 0);
    is_form(subarray(4, 16, 20), 1, 1, 0);
    is_form(subarray(1, 5, 6), 1, 1, 0);
}

static void lists_are_stored_compactly(void **state)
{
    (void)state;
    static const int64_t one[] = {1, 1, 1, 1}, mixed[] = {1, 2, 1, 3}, even[] = {0, 32, 64, 96},
                         odd[] = {0, 32, 56, 96}, adjacent[] = {8, 16, 24, 32},
                         down[] = {24, 16, 8, 0};
    is_form(indexed(block(8), 4, one, even), 1, 1, 0);     // a loop
    is_form(indexed(block(8), 4, one, odd), 1, 1, 4);      // offsets
    is_form(indexed(block(8), 4, mixed, odd), 1, 1, 8);    // offset and length
    is_form(indexed(block(8), 4, one, adjacent), 1, 1, 0); // a block
    is_form(indexed(block(8), 4, one, down), 1, 1, 0);     // a loop, not a block: order counts
    is_form(indexed(vector(block(4), 9, 1, 8), 4, one, odd), 2, 2, 4);
    is_form(indexed(vector(block(4), 9, 1, 8), 4, mixed, odd), 3, 4, 12); // equal ones share
}

static void members_of_a_struct_merge(void **state)
{
    (void)state;
    static const int64_t len[] = {1, 2, 1}, disp[] = {0, 4, 12}, padded[] = {0, 8, 24};
    struct csp_layout *i = block(4), *d = block(8), *l;
    const struct csp_layout *ints[] = {i, i, i}, *several[] = {i, d, i};
    MAKE(csp_layout_struct(3, len, disp, ints, &l), l);
    assert_true(l->contig);
    is_form(l, 1, 1, 0);
    MAKE(csp_layout_struct(3, len, padded, several, &l), l);
    assert_int_equal(l->extent, 28);
    is_form(vector(resized(l, 0, 32), 5, 1, 32), 2, 2, 4); // runs {0,4} and {8,20}
    csp_layout_free(i);
    csp_layout_free(d);
}

static void elements_that_touch_are_one_run(void **state)
{
    (void)state;
    struct csp_layout *l = block(8);
    struct csp_layout_cursor c;
    struct iovec iov[4];
    int64_t off;
    assert_int_equal(csp_layout_begin(&c, l, 100, 1000), CSP_OK);
    assert_int_equal(csp_layout_next(&c, INT64_MAX, &off), 8000);
    assert_int_equal(off, 100);
    l = vector(l, 2, 1, 16); // [0, 8) and [16, 24), then [24, 32) and [40, 48)
    assert_int_equal(csp_layout_begin(&c, l, 0, 2), CSP_OK);
    assert_int_equal(csp_layout_iov(&c, NULL, iov, 2, 1000), 2);
    assert_int_equal(iov[1].iov_len, 16);
    assert_int_equal(csp_layout_iov(&c, NULL, iov, 2, 5), 1);
    assert_int_equal(iov[0].iov_len, 5);
    assert_int_equal(csp_layout_left(&c), 3);
    csp_layout_free(l);
}

static void deep_nests_become_lists(void **state)
{
    (void)state;
    struct csp_layout *l = block(1);
    int64_t stride = 2, off, pos = 0, runs = 0;
    for (int i = 0; i < CSP_LAYOUT_DEPTH + 2; i++, stride *= 3)
        l = vector(l, 2, 1, stride);
    struct csp_layout_cursor c;
    assert_int_equal(csp_layout_check(l, csp_layout_bytes(l)), CSP_OK);
    assert_int_equal(l->depth, CSP_LAYOUT_DEPTH);
    assert_int_equal(l->size_bytes, 1 << (CSP_LAYOUT_DEPTH + 2));
    assert_int_equal(csp_layout_begin(&c, l, 0, 1), CSP_OK);
    for (; csp_layout_next(&c, 1, &off); pos++, runs++) {
        int64_t want = 0, digit = 2;
        for (int64_t bits = pos; bits; bits >>= 1, digit *= 3)
            want += (bits & 1) * digit;
        assert_int_equal(off, want);
    }
    assert_int_equal(runs, l->size_bytes);
    csp_layout_free(l);
}

static void counts_beyond_int(void **state)
{
    (void)state;
    const int64_t giga = INT64_C(1) << 30;
    struct csp_layout *l = vector(vector(block(8), 5 * giga, 1, 24), 3, 1, 200 * giga);
    struct csp_layout_cursor c;
    int64_t off;
    assert_int_equal(l->size_bytes, 120 * giga);
    assert_int_equal(csp_layout_begin(&c, l, -7, 1000), CSP_OK);
    csp_layout_seek(&c, 999 * 120 * giga + 2 * 40 * giga + 8 * 4 * giga + 3);
    assert_int_equal(csp_layout_next(&c, 100, &off), 5);
    assert_int_equal(off, -7 + 999 * l->extent + 2 * 200 * giga + 24 * 4 * giga + 3);
    assert_int_equal(csp_layout_left(&c), 8 * giga - 8);
    csp_layout_free(l);
}

static void too_large_is_an_error(void **state)
{
    (void)state;
    struct csp_layout *l = block(16), *out;
    struct csp_layout_cursor c;
    int64_t lo, hi, two[] = {1, 1}, far[] = {INT64_MIN, INT64_MAX - 16};
    assert_int_equal(csp_layout_block(-1, &out), CSP_ERR_ARG);
    assert_null(out);
    assert_int_equal(csp_layout_hvector(l, INT64_MAX / 8, 1, 16, &out), CSP_ERR_ARG);
    assert_int_equal(csp_layout_hvector(l, 2, 1, INT64_MAX, &out), CSP_ERR_ARG);
    assert_int_equal(csp_layout_hvector(l, -1, 1, 16, &out), CSP_ERR_ARG);
    assert_int_equal(csp_layout_hvector(l, 1, -1, 16, &out), CSP_ERR_ARG);
    assert_int_equal(csp_layout_hindexed(l, 2, two, far, &out), CSP_ERR_ARG);
    assert_int_equal(csp_layout_hindexed_block(l, 2, -1, two, &out), CSP_ERR_ARG);
    assert_int_equal(csp_layout_hindexed(l, -1, two, far, &out), CSP_ERR_ARG);
    assert_int_equal(csp_layout_begin(&c, l, INT64_MAX - 15, 1), CSP_ERR_ARG);
    assert_int_equal(csp_layout_begin(&c, l, 0, INT64_MAX / 8), CSP_ERR_ARG);
    assert_int_equal(csp_layout_begin(&c, l, 0, -1), CSP_ERR_ARG);
    assert_int_equal(csp_layout_range(l, INT64_MIN, 1, &lo, &hi), CSP_OK);
    assert_true(lo == INT64_MIN && hi == INT64_MIN + 16);
    csp_layout_free(l);
}

static void buffers_that_are_no_layout(void **state)
{
    (void)state;
    struct csp_layout *l = vector(block(4), 3, 1, 8);
    size_t bytes = csp_layout_bytes(l);
    char *buf = calloc(1, bytes + 16);
    assert_int_equal(csp_layout_check(buf, bytes), CSP_ERR_ARG);
    memcpy(buf, l, bytes);
    assert_int_equal(csp_layout_check(buf, bytes), CSP_OK);
    for (size_t n = 0; n < bytes + 16; n++)
        assert_int_equal(csp_layout_check(buf, n), n == bytes ? CSP_OK : CSP_ERR_ARG);
    memmove(buf + 4, buf, bytes);
    assert_int_equal(csp_layout_check(buf + 4, bytes), CSP_ERR_ARG); // not aligned
    free(buf);
    csp_layout_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_is_that_of_the_items),
        cmocka_unit_test(vectors_become_as_few_loops_as_they_can),
        cmocka_unit_test(subarrays_have_two_loops_at_most),
        cmocka_unit_test(lists_are_stored_compactly),
        cmocka_unit_test(members_of_a_struct_merge),
        cmocka_unit_test(elements_that_touch_are_one_run),
        cmocka_unit_test(deep_nests_become_lists),
        cmocka_unit_test(counts_beyond_int),
        cmocka_unit_test(too_large_is_an_error),
        cmocka_unit_test(buffers_that_are_no_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
