// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Thousands of random types against their type map, byte by byte.
#include "layout_ref.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES = 4000, DEPTH = 5, BYTES = 1500, MARGIN = 64 };

// A type, some elements of it, and a buffer that holds them with a margin on both sides.
struct data {
    struct both type;
    int64_t n, total, lo, hi;
    char *room, *base; // base + offset is inside room
};

static size_t room_bytes(const struct data *d)
{
    return (size_t)(d->hi - d->lo) + 2 * MARGIN;
}

static struct data data_make(uint64_t *seed)
{
    struct data d = {.type = both_random(seed, DEPTH, BYTES)};
    d.n = (int64_t)(unit_random(seed) % 4);
    d.total = d.n * d.type.ref.size;
    ref_range(&d.type.ref, d.n, &d.lo, &d.hi);
    d.room = malloc(room_bytes(&d));
    d.base = (char *)((uintptr_t)d.room + MARGIN - (uintptr_t)d.lo);
    return d;
}

static void data_free(struct data *d)
{
    free(d->room);
    both_free(&d->type);
}

static void fill(char *buf, size_t bytes, uint64_t *seed)
{
    for (size_t i = 0; i < bytes; i++)
        buf[i] = (char)unit_random(seed);
}

static char *at(const struct data *d, int64_t i)
{
    return (char *)((uintptr_t)d->base + (uintptr_t)ref_at(&d->type.ref, i));
}

static struct csp_layout_cursor begin(const struct data *d)
{
    struct csp_layout_cursor c;
    assert_int_equal(csp_layout_begin(&c, d->type.layout, 0, d->n), CSP_OK);
    assert_int_equal(csp_layout_left(&c), d->total);
    return c;
}

static void each(uint64_t seed, void (*check)(struct data *d, uint64_t *seed))
{
    for (uint64_t i = 0; i < TYPES; i++) {
        uint64_t own = seed * 1000003 + i;
        struct data d = data_make(&own);
        fill(d.room, room_bytes(&d), &own);
        check(&d, &own);
        data_free(&d);
    }
}

static void check_header(struct data *d, uint64_t *seed)
{
    const struct csp_layout *l = d->type.layout;
    const struct ref *r = &d->type.ref;
    int64_t lo, hi;
    (void)seed;
    assert_int_equal(l->size_bytes, r->size);
    assert_int_equal(l->lb, r->lb);
    assert_int_equal(l->extent, r->extent);
    ref_range(r, 1, &lo, &hi);
    assert_int_equal(l->true_lb, lo);
    assert_int_equal(l->true_ub, hi);
    assert_int_equal(csp_layout_range(l, 0, d->n, &lo, &hi), CSP_OK);
    assert_true(lo <= d->lo && hi >= d->hi); // gaps at the ends of some elements may be counted
    assert_true(l->depth <= CSP_LAYOUT_DEPTH && (r->size == 0) == (l->depth == 0));
    int one_run = r->size > 0;
    for (int64_t i = 1; i < r->size; i++)
        one_run &= r->off[i] == r->off[i - 1] + 1;
    assert_int_equal(one_run, l->block_count == 1);
    assert_int_equal(one_run && r->extent == r->size, l->contig);
    assert_int_equal(csp_layout_check(l, csp_layout_bytes(l)), CSP_OK);
}

static void headers(void **state)
{
    (void)state;
    each(1, check_header);
}

static void check_pack(struct data *d, uint64_t *seed)
{
    char *packed = malloc((size_t)d->total + 16);
    struct csp_layout_cursor c = begin(d);
    memset(packed, 0x5a, (size_t)d->total + 16);
    for (size_t done = 0; csp_layout_left(&c) > 0;) {
        size_t piece = unit_random(seed) % 3 ? 1 + unit_random(seed) % 40 : 5000;
        done += csp_layout_pack(&c, d->base, packed + done, piece);
        assert_int_equal(csp_layout_left(&c), d->total - (int64_t)done);
    }
    for (int64_t i = 0; i < d->total; i++)
        assert_int_equal(packed[i], *at(d, i));
    assert_int_equal(packed[d->total], 0x5a);
    assert_int_equal(csp_layout_pack(&c, d->base, packed, 10), 0);
    free(packed);
}

static void packing_in_pieces(void **state)
{
    (void)state;
    each(2, check_pack);
}

static void check_unpack(struct data *d, uint64_t *seed)
{
    char *packed = malloc((size_t)d->total + 1), *want = malloc(room_bytes(d));
    struct csp_layout_cursor c = begin(d);
    fill(packed, (size_t)d->total, seed);
    memcpy(want, d->room, room_bytes(d));
    for (int64_t i = 0; i < d->total; i++) // in order: where data overlap, the last byte stays
        want[at(d, i) - d->room] = packed[i];
    for (size_t done = 0; csp_layout_left(&c) > 0;)
        done += csp_layout_unpack(&c, d->base, packed + done, 1 + unit_random(seed) % 300);
    assert_memory_equal(d->room, want, room_bytes(d));
    free(packed);
    free(want);
}

static void unpacking_in_pieces(void **state)
{
    (void)state;
    each(3, check_unpack);
}

static void check_span(struct data *d, uint64_t *seed)
{
    struct csp_layout_cursor c = begin(d);
    while (csp_layout_left(&c) > 0) {
        int64_t first = d->total - csp_layout_left(&c), lo, hi, wide_lo, wide_hi, off;
        int64_t n = 1 + (int64_t)(unit_random(seed) % (uint64_t)csp_layout_left(&c));
        csp_layout_span(&c, n, &lo, &hi);
        for (int64_t i = first; i < first + n; i++)
            assert_in_range(ref_at(&d->type.ref, i) - lo, 0, hi - lo - 1);
        assert_int_equal(csp_layout_range(d->type.layout, 0, d->n, &wide_lo, &wide_hi), CSP_OK);
        assert_true(lo >= wide_lo && hi <= wide_hi);
        csp_layout_next(&c, n, &off);
    }
}

static void spans(void **state)
{
    (void)state;
    each(9, check_span);
}

static void check_seek(struct data *d, uint64_t *seed)
{
    struct csp_layout_cursor c = begin(d);
    for (int k = 0; k < 20; k++) {
        int64_t pos = (int64_t)(unit_random(seed) % (uint64_t)(d->total + 1)), off, len;
        csp_layout_seek(&c, pos);
        assert_int_equal(csp_layout_left(&c), d->total - pos);
        for (int runs = 0; runs < 5 && (len = csp_layout_next(&c, 1000, &off)) > 0; runs++)
            for (int64_t i = 0; i < len; i++)
                assert_int_equal(off + i, ref_at(&d->type.ref, pos++));
        assert_int_equal(csp_layout_left(&c), d->total - pos);
    }
}

static void seeking(void **state)
{
    (void)state;
    each(4, check_seek);
}

static void check_iov(struct data *d, uint64_t *seed)
{
    struct csp_layout_cursor c = begin(d);
    struct iovec iov[7];
    int max = 1 + (int)(unit_random(seed) % COUNT(iov)), n;
    size_t room = 1 + unit_random(seed) % 200;
    int64_t pos = 0;
    while ((n = csp_layout_iov(&c, d->base, iov, max, room)) > 0) {
        size_t sum = 0;
        assert_true(n <= max);
        for (int k = 0; k < n; k++) {
            sum += iov[k].iov_len;
            assert_false(k && (char *)iov[k - 1].iov_base + iov[k - 1].iov_len == iov[k].iov_base);
            for (size_t i = 0; i < iov[k].iov_len; i++)
                assert_ptr_equal((char *)iov[k].iov_base + i, at(d, pos++));
        }
        assert_true(sum <= room && (sum == room || n == max || pos == d->total));
    }
    assert_int_equal(pos, d->total);
}

static void iovecs(void **state)
{
    (void)state;
    each(5, check_iov);
}

static void check_copy(struct data *d, uint64_t *seed)
{
    struct data e = data_make(seed);
    struct csp_layout_cursor from = begin(d), to = begin(&e);
    int64_t all = d->total < e.total ? d->total : e.total, done = 0;
    fill(e.room, room_bytes(&e), seed);
    char *want = malloc(room_bytes(&e));
    memcpy(want, e.room, room_bytes(&e));
    for (int64_t i = 0; i < all; i++)
        want[at(&e, i) - e.room] = *at(d, i);
    while (done < all)
        done += (int64_t)csp_layout_copy(&from, d->base, &to, e.base, 1 + unit_random(seed) % 700);
    assert_int_equal(csp_layout_copy(&from, d->base, &to, e.base, 10), 0);
    assert_memory_equal(e.room, want, room_bytes(&e));
    free(want);
    data_free(&e);
}

static void copies_between_types(void **state)
{
    (void)state;
    each(6, check_copy);
}

// A damaged layout is refused, or is another valid one: then no run leaves its bounds.
static void check_damage(struct data *d, uint64_t *seed)
{
    const struct csp_layout *l = d->type.layout;
    size_t bytes = csp_layout_bytes(l);
    uint64_t *bad = malloc(bytes);
    for (int k = 0; k < 20; k++) {
        struct csp_layout_cursor c;
        int64_t off, len;
        memcpy(bad, l, bytes);
        uint64_t value = unit_random(seed), small = value % 5;
        bad[unit_random(seed) % (bytes / 8)] ^= k % 2 ? UINT64_C(1) << value % 64 : small;
        assert_true(csp_layout_check(bad, bytes - 8) == CSP_ERR_ARG);
        const struct csp_layout *b = (const struct csp_layout *)bad;
        if (csp_layout_check(bad, bytes) != CSP_OK || csp_layout_begin(&c, b, 0, 1) != CSP_OK)
            continue;
        for (int runs = 0; runs < 1000 && (len = csp_layout_next(&c, INT64_MAX, &off)) > 0; runs++)
            assert_true(off >= b->true_lb && off + len <= b->true_ub);
    }
    free(bad);
}

static void damaged_buffers(void **state)
{
    (void)state;
    each(7, check_damage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans),
        cmocka_unit_test(headers),
        cmocka_unit_test(packing_in_pieces),
        cmocka_unit_test(unpacking_in_pieces),
        cmocka_unit_test(seeking),
        cmocka_unit_test(iovecs),
        cmocka_unit_test(copies_between_types),
        cmocka_unit_test(damaged_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
