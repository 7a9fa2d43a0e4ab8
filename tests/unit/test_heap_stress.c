// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Threads, then processes, allocate and free in one heap at the same time.
#include "unit.h"
#include "shm/heap.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 4 << 20, WORKERS = 4, SLOTS = 32, STEPS = 5000 };

struct worker {
    void *base;
    struct csp_heap *heap;
    uint64_t seed;
    int errors;
};

struct slot {
    uint64_t off, words;
};

static int holds(const struct worker *w, const struct slot *s)
{
    const uint64_t *p = (const uint64_t *)((char *)w->base + s->off);
    for (uint64_t i = 0; i < s->words; i++)
        if (p[i] != w->seed)
            return 0;
    return 1;
}

static void take(struct worker *w, struct slot *s, uint64_t words)
{
    s->words = words;
    s->off = csp_heap_alloc(w->heap, words * 8, 64);
    if (s->off == CSP_OFF_NONE) {
        w->errors++;
        s->off = 0;
        return;
    }
    uint64_t *p = (uint64_t *)((char *)w->base + s->off);
    for (uint64_t i = 0; i < words; i++)
        p[i] = w->seed;
}

static void give(struct worker *w, struct slot *s)
{
    w->errors += !holds(w, s);
    csp_heap_free(w->heap, s->off);
    s->off = 0;
}

// Blocks of one worker are filled with its seed: a block handed out twice shows.
static void *work(void *arg)
{
    struct worker *w = arg;
    struct slot slots[SLOTS] = {0};
    uint64_t random = w->seed;
    for (int i = 0; i < STEPS; i++) {
        struct slot *s = &slots[unit_random(&random) % SLOTS];
        if (s->off)
            give(w, s);
        else
            take(w, s, unit_random(&random) % 500);
    }
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].off)
            give(w, &slots[i]);
    return NULL;
}

static void is_empty(struct csp_heap *heap)
{
    uint64_t used, peak;
    csp_heap_usage(heap, &used, &peak);
    assert_int_equal(used, 0);
    assert_true(peak > 0);
    uint64_t off = csp_heap_alloc(heap, BYTES - 8192, 64); // all merged
    assert_true(off != CSP_OFF_NONE);
    csp_heap_free(heap, off);
}

static void threads(void **state)
{
    (void)state;
    struct worker workers[WORKERS];
    void *base = aligned_alloc(4096, BYTES);
    struct csp_heap *heap = csp_heap_init(base, 0, BYTES);
    assert_non_null(heap);
    for (int i = 0; i < WORKERS; i++)
        workers[i] = (struct worker){.base = base, .heap = heap, .seed = 100 + (uint64_t)i};
    unit_threads(WORKERS, work, workers, sizeof workers[0]);
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(workers[i].errors, 0);
    is_empty(heap);
    free(base);
}

// Each process maps the segment itself, hence at an address of its own.
static void run_process(const struct csp_seg_key *key, uint64_t seed)
{
    struct csp_seg seg;
    if (csp_seg_attach(key, &seg))
        _exit(2);
    struct worker w = {.base = seg.base, .heap = csp_heap_at(seg.base, 64), .seed = seed};
    work(&w);
    csp_seg_detach(&seg);
    _exit(w.errors ? 1 : 0);
}

static void processes(void **state)
{
    (void)state;
    struct csp_seg seg;
    struct csp_seg_key key;
    pid_t pids[WORKERS];
    assert_int_equal(csp_seg_create(64 + BYTES, 0, &seg, &key), CSP_OK);
    struct csp_heap *heap = csp_heap_init(seg.base, 64, BYTES);
    assert_non_null(heap);
    for (int i = 0; i < WORKERS; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            run_process(&key, 200 + (uint64_t)i);
        assert_true(pids[i] > 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    is_empty(heap);
    csp_seg_detach(&seg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes), // before there are threads
        cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
