// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Operations inside a node: the time of one operation + flush, and of one of COUNT operations before a
// flush, by size. Usage: node FILE STATE TARGET SLEEP_MS BYTES_MAX [OP...]: all operations but these.
// Origin is rank 0, TARGET a rank of its node; STATE: idle, the target sits in MPI_Recv; busy, it is outside
// MPI. The window is over all processes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "series.h"

enum {
    WORDS_MAX = 1 << 19, // 4 MB
    BURST = 16,          // operations before a flush
    BURSTS_BYTES = 1 << 16,
};

enum kind { PUT, GET, ACC, GET_ACC, FOP, CAS, KINDS };
static const char *const names[KINDS] = {"PUT", "GET", "ACC", "GET_ACC", "FOP", "CAS"};

static struct series series;
static FILE *out;
static long errors;

struct act {
    MPI_Win win;
    int64_t *base, *origin, *result;
    enum kind kind;
    int count;    // words
    int burst;    // operations before a flush
    int repeats;  // flushes in one sample
    int64_t done; // accumulates so far
};

static void issue(struct act *a)
{
    static const int64_t never = 3; // what the target does not hold
    const int to = series.target, n = a->count;
    switch (a->kind) {
    case PUT:
        MPI_Put(a->origin, n, MPI_INT64_T, to, 0, n, MPI_INT64_T, a->win);
        break;
    case GET:
        MPI_Get(a->result, n, MPI_INT64_T, to, 0, n, MPI_INT64_T, a->win);
        break;
    case ACC:
        MPI_Accumulate(a->origin, n, MPI_INT64_T, to, 0, n, MPI_INT64_T, MPI_SUM, a->win);
        break;
    case GET_ACC:
        MPI_Get_accumulate(a->origin, n, MPI_INT64_T, a->result, n, MPI_INT64_T, to, 0, n,
                           MPI_INT64_T, MPI_SUM, a->win);
        break;
    case FOP:
        MPI_Fetch_and_op(a->origin, a->result, MPI_INT64_T, to, 0, MPI_SUM, a->win);
        break;
    default:
        MPI_Compare_and_swap(a->origin, &never, a->result, MPI_INT64_T, to, 0, a->win);
    }
    a->done++;
}

static void act(void *context)
{
    struct act *a = context;
    for (int r = 0; r < a->repeats; r++) {
        for (int i = 0; i < a->burst; i++)
            issue(a);
        MPI_Win_flush(series.target, a->win);
    }
}

// What the target's words must hold in the end; origin[i] is i + 1, the window starts with 5.
static int64_t expected(const struct act *a, int i)
{
    switch (a->kind) {
    case PUT:
        return a->done > 0 ? i + 1 : 5; // on a loaded machine a series may do nothing
    case ACC:
    case GET_ACC:
    case FOP:
        return 5 + a->done * (i + 1);
    default:
        return 5;
    }
}

static void check(const struct act *a)
{
    MPI_Win_sync(a->win);
    for (int i = 0; i < a->count; i++)
        errors += a->base[i] != expected(a, i);
}

static void run(struct act *a, const char *state, const char *mode)
{
    char labels[200];
    for (int i = 0; i < a->count; i++) {
        a->base[i] = 5;
        a->result[i] = 7;
        a->origin[i] = i + 1;
    }
    a->done = 0;
    MPI_Win_sync(a->win);
    series_run(&series, state, act, a);
    for (int i = 0; i < series.sample_count; i++)
        series.samples[i] /= a->repeats * a->burst;
    snprintf(labels, sizeof labels, "\"op\": \"%s\", \"bytes\": %d, \"mode\": \"%s\"",
             names[a->kind], 8 * a->count, mode);
    if (series.rank == series.origin)
        series_emit(&series, out, labels, series.samples, series.sample_count);
    MPI_Bcast(&a->done, 1, MPI_INT64_T, series.origin, MPI_COMM_WORLD);
    if (series.rank == series.target)
        check(a);
    if (series.rank == series.origin && a->kind == GET && a->done > 0)
        for (int i = 0; i < a->count; i++)
            errors += a->result[i] != 5;
    bench_quiet_barrier();
}

static void run_size(struct act *a, int count, const char *state)
{
    a->count = count;
    a->burst = 1;
    a->repeats =
        8 * count < BURSTS_BYTES ? 20 : 1; // a sample shall be longer than the clock's step
    run(a, state, "one");
    if (a->kind == FOP || a->kind == CAS)
        return;
    a->burst = BURST;
    a->repeats = 1;
    run(a, state, "burst");
}

static void run_sizes(struct act *a, const char *state, int most_bytes)
{
    static const int counts[] = {1, 32, 1024, 32768, WORDS_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (i == 0 || (8 * counts[i] <= most_bytes && a->kind != FOP && a->kind != CAS))
            run_size(a, counts[i], state);
}

static void *words(void)
{
    void *p = calloc(WORDS_MAX, sizeof(int64_t));
    if (p == NULL)
        bench_die("no memory");
    return p;
}

int main(int argc, char **argv)
{
    struct act a = {0};
    MPI_Init(&argc, &argv);
    if (argc < 6)
        bench_die("usage: node FILE STATE TARGET SLEEP_MS BYTES_MAX [OP...]");
    series_init(&series, argv[4], "400");
    series.target = atoi(argv[3]);
    if (series.rank == series.origin && (out = fopen(argv[1], "w")) == NULL)
        bench_die("cannot write %s", argv[1]);
    MPI_Win_allocate(WORDS_MAX * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &a.base, &a.win);
    a.origin = words();
    a.result = words();
    MPI_Win_lock_all(0, a.win);
    for (a.kind = 0; a.kind < KINDS; a.kind++)
        if (!bench_listed(names[a.kind], argc - 6, argv + 6))
            run_sizes(&a, argv[2], atoi(argv[5]));
    MPI_Win_unlock_all(a.win);
    MPI_Win_free(&a.win);
    free(a.origin);
    free(a.result);
    const int code = bench_verdict(errors);
    MPI_Finalize();
    return code;
}
