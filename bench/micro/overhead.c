// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What things cost when nobody waits for anybody: start and end, windows, messages, plain calls,
// epochs. Usage: overhead FILE SLEEP_MS STATE [GROUP...], groups: calls p2p window issue passive
// active; default all. STATE: the target of passive epochs and issue is idle or busy (series.h).
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "series.h"

enum { SAMPLE_MAX = 1000, BATCH = 50, ISSUE_BATCH = 64 };

static struct series series;
static const char *state;
static FILE *out;
static long errors;

static void emit(const char *what, const double *seconds, int count)
{
    char labels[200];
    snprintf(labels, sizeof labels, "\"what\": \"%s\"", what);
    if (series.rank == series.origin)
        series_emit(&series, out, labels, seconds, count);
}

// ---- calls and messages

static void group_calls(void)
{
    enum { SAMPLES = 30, CALLS = 200000 };
    double rank_s[SAMPLES], size_s[SAMPLES];
    int value = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const double t0 = bench_now();
        for (int k = 0; k < CALLS; k++)
            MPI_Comm_rank(MPI_COMM_WORLD, &value);
        const double t1 = bench_now();
        for (int k = 0; k < CALLS; k++)
            MPI_Comm_size(MPI_COMM_WORLD, &value);
        rank_s[i] = (t1 - t0) / CALLS;
        size_s[i] = (bench_now() - t1) / CALLS;
    }
    emit("MPI_Comm_rank", rank_s, SAMPLES);
    emit("MPI_Comm_size", size_s, SAMPLES);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void ping_pong(char *buffer, int bytes)
{
    if (series.rank == series.origin) {
        MPI_Send(buffer, bytes, MPI_CHAR, series.target, 2, MPI_COMM_WORLD);
        MPI_Recv(buffer, bytes, MPI_CHAR, series.target, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (series.rank == series.target) {
        MPI_Recv(buffer, bytes, MPI_CHAR, series.origin, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(buffer, bytes, MPI_CHAR, series.origin, 2, MPI_COMM_WORLD);
    }
}

static void latency(const char *what, char *buffer, int bytes)
{
    enum { SAMPLES = 100 };
    double half_s[SAMPLES];
    series_begin(&series);
    for (int i = -5; i < SAMPLES; i++) {
        const double start = bench_now();
        for (int k = 0; k < BATCH; k++)
            ping_pong(buffer, bytes);
        if (i >= 0)
            half_s[i] = (bench_now() - start) / (2 * BATCH);
    }
    series_end(&series);
    emit(what, half_s, SAMPLES);
}

static void allreduce(void)
{
    enum { SAMPLES = 100 };
    double each_s[SAMPLES];
    series_begin(&series);
    for (int i = -5; i < SAMPLES; i++) {
        const double start = bench_now();
        for (int k = 0; k < BATCH; k++) {
            int one = 1, sum = 0, size;
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            errors += sum != size;
        }
        if (i >= 0)
            each_s[i] = (bench_now() - start) / BATCH;
    }
    series_end(&series);
    emit("MPI_Allreduce 4 B", each_s, SAMPLES);
}

static void group_p2p(void)
{
    char *buffer = calloc(1, 65536);
    if (buffer == NULL)
        bench_die("no memory");
    latency("Send/Recv 8 B", buffer, 8);
    latency("Send/Recv 64 KB", buffer, 65536);
    allreduce();
    free(buffer);
}

// ---- windows

struct window_times {
    double allocate_s, touch_s, free_s;
};

// The slowest process counts.
static struct window_times window_once(MPI_Aint bytes)
{
    struct window_times t;
    char *base;
    MPI_Win win;
    MPI_Barrier(MPI_COMM_WORLD);
    const double t0 = bench_now();
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    const double t1 = bench_now();
    memset(base, 1, (size_t)bytes);
    const double t2 = bench_now();
    MPI_Barrier(MPI_COMM_WORLD);
    const double t3 = bench_now();
    MPI_Win_free(&win);
    t.allocate_s = t1 - t0;
    t.touch_s = t2 - t1;
    t.free_s = bench_now() - t3;
    MPI_Allreduce(MPI_IN_PLACE, &t, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return t;
}

// Returns what the very first one took.
static struct window_times window_size(const char *size, MPI_Aint bytes, int sample_count)
{
    struct window_times first = {0};
    double allocate_s[SAMPLE_MAX], free_s[SAMPLE_MAX], touch_s[SAMPLE_MAX], both_s[SAMPLE_MAX];
    char what[100];
    series_begin(&series);
    for (int i = -2; i < sample_count; i++) {
        const struct window_times t = window_once(bytes);
        if (i == -2)
            first = t;
        if (i < 0)
            continue;
        allocate_s[i] = t.allocate_s;
        free_s[i] = t.free_s;
        touch_s[i] = t.touch_s;
        both_s[i] = t.allocate_s + t.free_s;
    }
    series_end(&series);
    snprintf(what, sizeof what, "Win_allocate %s", size);
    emit(what, allocate_s, sample_count);
    snprintf(what, sizeof what, "Win_free %s", size);
    emit(what, free_s, sample_count);
    snprintf(what, sizeof what, "Win_allocate + Win_free %s", size);
    emit(what, both_s, sample_count);
    snprintf(what, sizeof what, "first touch of %s", size);
    emit(what, touch_s, sample_count);
    return first;
}

static void group_window(void)
{
    window_size("8 B", 8, 100);
    window_size("1 KB", 1 << 10, 100);
    window_size("1 MB", 1 << 20, 50);
    window_size("32 MB", 32 << 20, 10);
    // More than CSP_POOL_MAX: a segment of its own, which is kept for the next one.
    // Its memory is taken when it is made; the library's own when it is touched.
    const struct window_times first = window_size("96 MB", 96 << 20, 5);
    const double touched_s = first.allocate_s + first.touch_s;
    emit("first Win_allocate 96 MB", &first.allocate_s, 1);
    emit("first Win_allocate + touch 96 MB", &touched_s, 1);
}

// ---- operations and epochs on a small window

struct small {
    MPI_Win win;
    int64_t *base;
    int64_t value, result;
};

static void small_open(struct small *w)
{
    MPI_Win_allocate(1024, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &w->base, &w->win);
    memset(w->base, 0, 1024);
    w->value = 42;
    MPI_Barrier(MPI_COMM_WORLD);
}

// Every series of this file leaves 42 at the target.
static void small_close(struct small *w)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (series.rank == series.target) {
        MPI_Win_lock(MPI_LOCK_SHARED, series.rank, 0, w->win);
        errors += w->base[0] != 42;
        MPI_Win_unlock(series.rank, w->win);
    }
    MPI_Win_free(&w->win);
}

static void put(struct small *w)
{
    MPI_Put(&w->value, 1, MPI_INT64_T, series.target, 0, 1, MPI_INT64_T, w->win);
}

static void act_put_batch(void *context)
{
    struct small *w = context;
    for (int i = 0; i < ISSUE_BATCH; i++)
        put(w);
}

static void act_fop_batch(void *context)
{
    struct small *w = context;
    for (int i = 0; i < ISSUE_BATCH; i++)
        MPI_Fetch_and_op(&w->value, &w->result, MPI_INT64_T, series.target, 0, MPI_REPLACE, w->win);
}

static void act_put_flush(void *context)
{
    struct small *w = context;
    act_put_batch(w);
    MPI_Win_flush(series.target, w->win);
}

static void act_acc_flush(void *context)
{
    struct small *w = context;
    for (int i = 0; i < ISSUE_BATCH; i++)
        MPI_Accumulate(&w->value, 1, MPI_INT64_T, series.target, 0, 1, MPI_INT64_T, MPI_REPLACE,
                       w->win);
    MPI_Win_flush(series.target, w->win);
}

static void act_fop_flush(void *context)
{
    struct small *w = context;
    act_fop_batch(w);
    MPI_Win_flush(series.target, w->win);
}

static void run_batch(const char *what, series_action *action, struct small *w)
{
    series_run(&series, state, action, w);
    for (int i = 0; i < series.sample_count; i++)
        series.samples[i] /= ISSUE_BATCH;
    emit(what, series.samples, series.sample_count);
}

static void group_issue(void)
{
    struct small w;
    small_open(&w);
    MPI_Win_lock_all(0, w.win);
    run_batch("Put 8 B, of 64 + flush", act_put_flush, &w);
    run_batch("Accumulate 8 B, of 64 + flush", act_acc_flush, &w);
    run_batch("Fetch_and_op 8 B, of 64 + flush", act_fop_flush, &w);
    MPI_Win_unlock_all(w.win);
    small_close(&w);
}

static void act_lock_exclusive(void *context)
{
    struct small *w = context;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, series.target, 0, w->win);
    put(w);
    MPI_Win_unlock(series.target, w->win);
}

static void act_lock_empty(void *context)
{
    struct small *w = context;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, series.target, 0, w->win);
    MPI_Win_unlock(series.target, w->win);
}

static void act_lock_own(void *context)
{
    struct small *w = context;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, series.origin, 0, w->win);
    MPI_Win_unlock(series.origin, w->win);
}

static void act_lock_shared(void *context)
{
    struct small *w = context;
    MPI_Win_lock(MPI_LOCK_SHARED, series.target, 0, w->win);
    put(w);
    MPI_Win_unlock(series.target, w->win);
}

static void act_lock_all(void *context)
{
    struct small *w = context;
    MPI_Win_lock_all(0, w->win);
    put(w);
    MPI_Win_unlock_all(w->win);
}

static void act_lock_all_empty(void *context)
{
    struct small *w = context;
    MPI_Win_lock_all(0, w->win);
    MPI_Win_unlock_all(w->win);
}

static void run_passive(const char *what, series_action *action)
{
    struct small w;
    small_open(&w);
    series_run(&series, state, action, &w);
    emit(what, series.samples, series.sample_count);
    if (series.rank == series.origin)
        act_lock_shared(&w); // the empty epochs too shall leave the value
    small_close(&w);
}

static void group_passive(void)
{
    run_passive("lock exclusive + Put + unlock", act_lock_exclusive);
    run_passive("lock shared + Put + unlock", act_lock_shared);
    run_passive("lock exclusive + unlock", act_lock_empty);
    run_passive("lock exclusive + unlock, of itself", act_lock_own);
    run_passive("lock_all + Put + unlock_all", act_lock_all);
    run_passive("lock_all + unlock_all", act_lock_all_empty);
}

static void act_fence(void *context)
{
    MPI_Win_fence(0, ((struct small *)context)->win);
}

static void act_fence_first(void *context)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, ((struct small *)context)->win);
}

static void act_fence_put(void *context)
{
    struct small *w = context;
    if (series.rank == series.origin)
        put(w);
    MPI_Win_fence(0, w->win);
}

static void pscw(struct small *w, MPI_Group peer)
{
    if (series.rank == series.origin) {
        MPI_Win_start(peer, 0, w->win);
        put(w);
        MPI_Win_complete(w->win);
    } else if (series.rank == series.target) {
        MPI_Win_post(peer, 0, w->win);
        MPI_Win_wait(w->win);
    }
}

static void act_pscw(void *context)
{
    const int peer_rank = series.rank == series.origin ? series.target : series.origin;
    MPI_Group world, peer;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer_rank, &peer);
    for (int k = 0; k < BATCH; k++)
        pscw(context, peer);
    MPI_Group_free(&peer);
    MPI_Group_free(&world);
}

static void run_active(const char *what, series_action *action, int per_sample)
{
    enum { SAMPLES = 50 };
    double each_s[SAMPLES];
    struct small w;
    small_open(&w);
    if (action != act_pscw)
        MPI_Win_fence(0, w.win);
    series_begin(&series);
    for (int i = -2; i < SAMPLES; i++) {
        const double start = bench_now();
        for (int k = 0; k < BATCH / per_sample; k++)
            action(&w);
        if (i >= 0)
            each_s[i] = (bench_now() - start) / BATCH;
    }
    series_end(&series);
    emit(what, each_s, SAMPLES);
    MPI_Win_fence(0, w.win);
    act_fence_put(&w);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
    small_close(&w);
}

static void group_active(void)
{
    run_active("fence", act_fence, 1);
    run_active("fence NOPRECEDE", act_fence_first, 1);
    run_active("fence + Put", act_fence_put, 1);
    run_active("post/start/Put/complete/wait", act_pscw, BATCH);
}

// ---- main

static const struct {
    const char *name;
    void (*run)(void);
} groups[] = {
    {"calls", group_calls}, {"p2p", group_p2p},         {"window", group_window},
    {"issue", group_issue}, {"passive", group_passive}, {"active", group_active},
};

int main(int argc, char **argv)
{
    const double t0 = bench_now();
    MPI_Init(&argc, &argv);
    const double init_s = bench_now() - t0;
    if (argc < 4)
        bench_die("usage: overhead FILE SLEEP_MS STATE [GROUP...]");
    series_init(&series, argv[2], "200");
    state = argv[3];
    if (series.rank == series.origin && (out = fopen(argv[1], "w")) == NULL)
        bench_die("cannot write %s", argv[1]);
    emit("MPI_Init", &init_s, 1);
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (argc <= 4 || bench_listed(groups[i].name, argc - 4, argv + 4))
            groups[i].run();
    const int code = bench_verdict(errors);
    const double t1 = bench_now();
    MPI_Finalize();
    const double finalize_s = bench_now() - t1;
    emit("MPI_Finalize", &finalize_s, 1);
    return code;
}
