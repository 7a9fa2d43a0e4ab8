// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "shm/heap.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 20, OFF = 4096 };

static char *base;
static struct csp_heap *heap;

static int make_heap(void **state)
{
    (void)state;
    base = aligned_alloc(4096, OFF + BYTES);
    memset(base, 0x5a, OFF + BYTES); // not zeroed: the heap must not rely on it
    heap = csp_heap_init(base, OFF, BYTES);
    return heap == NULL;
}

static int free_heap(void **state)
{
    (void)state;
    free(base);
    return 0;
}

static uint64_t used_bytes(void)
{
    uint64_t used, peak;
    csp_heap_usage(heap, &used, &peak);
    assert_true(peak >= used);
    return used;
}

// The largest block that can be had now.
static uint64_t largest(void)
{
    uint64_t lo = 0, hi = BYTES;
    while (lo < hi) {
        uint64_t mid = (lo + hi + 1) / 2, off = csp_heap_alloc(heap, mid, 64);
        if (off == CSP_OFF_NONE) {
            hi = mid - 1;
        } else {
            csp_heap_free(heap, off);
            lo = mid;
        }
    }
    return lo;
}

static void offsets_are_aligned_and_inside(void **state)
{
    (void)state;
    for (uint64_t align = 1; align <= 65536; align *= 2) {
        for (uint64_t bytes = 0; bytes < 5000; bytes = bytes * 3 + 1) {
            uint64_t off = csp_heap_alloc(heap, bytes, align);
            assert_true(off != CSP_OFF_NONE && off % align == 0 && off % 64 == 0);
            assert_true(off >= OFF && off + bytes <= OFF + BYTES);
            memset(base + off, 0xff, bytes);
            csp_heap_free(heap, off);
        }
    }
    assert_int_equal(used_bytes(), 0);
}

static void large_alignment_wastes_nothing_for_good(void **state)
{
    (void)state;
    uint64_t whole = largest(), offs[8];
    for (int i = 0; i < 8; i++) {
        offs[i] = csp_heap_alloc(heap, 100, 65536);
        assert_true(offs[i] != CSP_OFF_NONE && offs[i] % 65536 == 0);
    }
    assert_int_equal(used_bytes(), 8 * 128);
    uint64_t between = csp_heap_alloc(heap, 60000, 64); // the gaps are free
    assert_true(between > offs[0] && between < offs[7]);
    csp_heap_free(heap, between);
    for (int i = 0; i < 8; i++)
        csp_heap_free(heap, offs[i]);
    assert_int_equal(largest(), whole);
}

static void neighbours_merge_in_every_order(void **state)
{
    (void)state;
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    uint64_t whole = largest();
    for (size_t o = 0; o < COUNT(orders); o++) {
        uint64_t offs[3];
        for (int i = 0; i < 3; i++)
            offs[i] = csp_heap_alloc(heap, 1000, 64);
        uint64_t guard = csp_heap_alloc(heap, 64, 64); // the three have a used right neighbour
        for (int i = 0; i < 3; i++)
            csp_heap_free(heap, offs[orders[o][i]]);
        assert_int_equal(csp_heap_alloc(heap, 3000, 64), offs[0]); // as one again
        csp_heap_free(heap, offs[0]);
        csp_heap_free(heap, guard);
        assert_int_equal(largest(), whole);
    }
}

static void the_last_byte_can_be_had(void **state)
{
    (void)state;
    uint64_t whole = largest();
    assert_true(whole > BYTES - 8192);
    uint64_t off = csp_heap_alloc(heap, whole, 64);
    assert_true(off != CSP_OFF_NONE);
    memset(base + off, 0xff, whole);
    assert_true(csp_heap_alloc(heap, 0, 64) == CSP_OFF_NONE);
    csp_heap_free(heap, off);
    assert_true(csp_heap_alloc(heap, whole + 64, 64) == CSP_OFF_NONE);
}

static void small_blocks_fill_it(void **state)
{
    (void)state;
    uint64_t whole = largest(), count = 0, off, last = 0;
    while ((off = csp_heap_alloc(heap, 40, 64)) != CSP_OFF_NONE) {
        *(uint64_t *)(base + off) = last; // chain them
        last = off;
        count++;
    }
    assert_true(count > BYTES / 64 - 128);
    for (; last; last = off) {
        off = *(uint64_t *)(base + last);
        csp_heap_free(heap, last);
    }
    assert_int_equal(largest(), whole);
}

static void absurd_requests_fail(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {BYTES, UINT64_MAX, UINT64_MAX - 63, UINT64_C(1) << 47,
                                     UINT64_C(1) << 63};
    for (size_t i = 0; i < COUNT(sizes); i++)
        assert_true(csp_heap_alloc(heap, sizes[i], 64) == CSP_OFF_NONE);
    assert_true(csp_heap_alloc(heap, 64, 96) == CSP_OFF_NONE); // not a power of 2
    assert_true(csp_heap_alloc(heap, 64, UINT64_C(1) << 40) == CSP_OFF_NONE);
    assert_true(csp_heap_alloc(heap, 64, UINT64_C(1) << 63) == CSP_OFF_NONE);
    assert_int_equal(used_bytes(), 0);
}

static void too_small_a_place_is_refused(void **state)
{
    (void)state;
    assert_null(csp_heap_init(base, OFF, 0));
    assert_null(csp_heap_init(base, OFF, 1000));
    for (uint64_t bytes = 5000; bytes < 8000; bytes++) { // at the limit, from odd places
        memset(base + 100, 0x5a, 9000);
        struct csp_heap *h = csp_heap_init(base, 100 + bytes % 7, bytes);
        if (!h)
            continue;
        uint64_t off = csp_heap_alloc(h, 1, 64);
        assert_true(off != CSP_OFF_NONE && off + 1 <= 100 + bytes % 7 + bytes);
        csp_heap_free(h, off);
        for (uint64_t i = 100 + bytes % 7 + bytes; i < 9100; i++)
            assert_int_equal(base[i], 0x5a); // nothing behind it was written
    }
}

static void another_mapping_sees_the_same(void **state)
{
    (void)state;
    assert_ptr_equal(csp_heap_at(base, OFF), heap);
    uint64_t off = csp_heap_alloc(csp_heap_at(base, OFF), 1, 64);
    csp_heap_free(heap, off);
    struct csp_heap *odd = csp_heap_init(base, 100, BYTES / 2);
    assert_ptr_equal(csp_heap_at(base, 100), odd);
    assert_int_equal((uintptr_t)odd % 64, 0);
}

static void usage_counts(void **state)
{
    (void)state;
    uint64_t used, peak;
    uint64_t a = csp_heap_alloc(heap, 1000, 64), b = csp_heap_alloc(heap, 1, 64);
    csp_heap_usage(heap, &used, &peak);
    assert_true(used == 1024 + 64 && peak == used);
    csp_heap_free(heap, a);
    csp_heap_free(heap, b);
    csp_heap_usage(heap, &used, &peak);
    assert_true(used == 0 && peak == 1024 + 64);
}

static void free_twice(void *arg)
{
    csp_heap_free(heap, *(uint64_t *)arg);
    csp_heap_free(heap, *(uint64_t *)arg);
}

static void free_merged_twice(void *arg)
{
    uint64_t left = csp_heap_alloc(heap, 100, 64), right = csp_heap_alloc(heap, 100, 64);
    (void)arg;
    csp_heap_free(heap, left);
    csp_heap_free(heap, right); // now inside the block that began at left
    csp_heap_free(heap, right);
}

static void free_inside(void *arg)
{
    csp_heap_free(heap, *(uint64_t *)arg + 64);
}

static void free_outside(void *arg)
{
    (void)arg;
    csp_heap_free(heap, OFF + BYTES + 64);
}

static void overrun(void *arg)
{
    memset(base + *(uint64_t *)arg, 0, 1024 + 16); // 1008 bytes are there
    csp_heap_free(heap, *(uint64_t *)arg);
}

static void damage_ends_the_process(void **state)
{
    (void)state;
    uint64_t off = csp_heap_alloc(heap, 1000, 64);
    memset(base + off, 0, 1000);
    assert_true(unit_dies(free_twice, &off, "is not allocated, or the words"));
    assert_true(unit_dies(free_merged_twice, &off, "is not allocated, or the words"));
    assert_true(unit_dies(free_inside, &off, "is not allocated, or the words"));
    assert_true(unit_dies(free_outside, &off, "was never allocated"));
    assert_true(unit_dies(overrun, &off, "overwritten"));
}

// Blocks come and go; none overlaps another, and in the end all have merged.
static void random_sequences_keep_contents(void **state)
{
    (void)state;
    enum { SLOTS = 300, STEPS = 60000 };
    struct slot {
        uint64_t off, bytes;
        unsigned char fill;
    } slots[SLOTS] = {0};
    uint64_t seed = 1, whole = largest();
    for (int step = 0; step < STEPS; step++) {
        struct slot *s = &slots[unit_random(&seed) % SLOTS];
        if (s->off) {
            for (uint64_t i = 0; i < s->bytes; i += 1 + s->bytes / 16)
                assert_int_equal((unsigned char)base[s->off + i], s->fill);
            csp_heap_free(heap, s->off);
            s->off = 0;
            continue;
        }
        s->bytes = unit_random(&seed) % (UINT64_C(1) << unit_random(&seed) % 15);
        s->fill = (unsigned char)step;
        s->off = csp_heap_alloc(heap, s->bytes, UINT64_C(1) << unit_random(&seed) % 13);
        if (s->off == CSP_OFF_NONE)
            s->off = 0;
        else
            memset(base + s->off, s->fill, s->bytes);
    }
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].off)
            csp_heap_free(heap, slots[i].off);
    assert_int_equal(used_bytes(), 0);
    assert_int_equal(largest(), whole);
}

// A heap in a part of the place, then in all of it.
static void more_room_joins_what_was_free(void **state)
{
    (void)state;
    uint64_t whole = largest();
    heap = csp_heap_init(base, OFF, BYTES / 4);
    uint64_t first = csp_heap_alloc(heap, 1000, 64);
    assert_true(csp_heap_end(heap) == OFF + BYTES / 4);
    assert_true(csp_heap_alloc(heap, BYTES / 2, 64) == CSP_OFF_NONE);
    csp_heap_extend(heap, OFF + BYTES);
    csp_heap_extend(heap, OFF + BYTES / 2); // somebody was slower
    assert_true(csp_heap_end(heap) == OFF + BYTES);
    assert_int_equal(used_bytes(), 1024);
    csp_heap_free(heap, first);
    assert_int_equal(used_bytes(), 0);
    assert_int_equal(largest(), whole);
}

static void more_room_behind_a_full_heap(void **state)
{
    (void)state;
    heap = csp_heap_init(base, OFF, BYTES / 4);
    uint64_t all = csp_heap_alloc(heap, largest(), 64);
    csp_heap_extend(heap, OFF + BYTES);
    uint64_t next = csp_heap_alloc(heap, BYTES / 2, 64);
    assert_true(all != CSP_OFF_NONE && next != CSP_OFF_NONE && next > all);
    csp_heap_free(heap, all);
    csp_heap_free(heap, next);
    assert_int_equal(used_bytes(), 0);
}

#define HEAP_TEST(name) cmocka_unit_test_setup_teardown(name, make_heap, free_heap)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAP_TEST(offsets_are_aligned_and_inside),
        HEAP_TEST(large_alignment_wastes_nothing_for_good),
        HEAP_TEST(neighbours_merge_in_every_order),
        HEAP_TEST(the_last_byte_can_be_had),
        HEAP_TEST(small_blocks_fill_it),
        HEAP_TEST(absurd_requests_fail),
        HEAP_TEST(too_small_a_place_is_refused),
        HEAP_TEST(another_mapping_sees_the_same),
        HEAP_TEST(usage_counts),
        HEAP_TEST(damage_ends_the_process),
        HEAP_TEST(more_room_joins_what_was_free),
        HEAP_TEST(more_room_behind_a_full_heap),
        HEAP_TEST(random_sequences_keep_contents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
