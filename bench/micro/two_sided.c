// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// See two_sided.h.
#include "two_sided.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "bench.h"
#include "place.h"

enum { LEAST_SAMPLES = 10, FULL_BYTES = 16384, LABEL_ROOM = 400 };

static const int sizes[] = {8, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304};
static volatile double sink;

static double measure_steps(void)
{
    enum { STEPS = 200000, TIMES = 5 };
    double best_s = 1;
    for (int i = 0; i < TIMES; i++) {
        const double start = bench_now();
        sink = bench_steps(STEPS);
        const double s = bench_now() - start;
        best_s = s < best_s ? s : best_s;
    }
    return STEPS / best_s;
}

// Sleeps shall end when they are asked to, not some 50 us later.
static void sleep_exactly(void)
{
#ifdef __linux__
    prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
#endif
}

void ts_open(struct ts *t, int argc, char **argv, int needs, int more, const char *usage)
{
    memset(t, 0, sizeof *t);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &t->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t->size);
    if (argc != 5 + more || t->size < needs || (needs == 2 && t->size > 2))
        bench_die("usage: %d processes, %s", needs, usage);
    t->peer = 1 - t->rank;
    t->bytes_max = atol(argv[2]);
    t->sample_max = atoi(argv[3]) < TS_SAMPLE_MAX ? atoi(argv[3]) : TS_SAMPLE_MAX;
    t->sleeps = strcmp(argv[4], "sleep") == 0;
    if (t->sleeps)
        sleep_exactly();
    t->steps_per_s = measure_steps();
    if (t->rank == 0 && (t->out = fopen(argv[1], "w")) == NULL)
        bench_die("cannot write %s", argv[1]);
}

int ts_close(struct ts *t)
{
    if (t->out)
        fclose(t->out);
    const int code = bench_verdict(t->errors);
    MPI_Finalize();
    return code;
}

void ts_compute(const struct ts *t, double seconds)
{
    if (seconds <= 0)
        return;
    if (t->sleeps)
        bench_sleep(seconds);
    else
        sink = bench_steps((long)(seconds * t->steps_per_s));
}

int ts_samples(const struct ts *t, long bytes)
{
    long count = t->sample_max;
    if (bytes > FULL_BYTES)
        count = count * FULL_BYTES / bytes;
    if (count < LEAST_SAMPLES)
        count = t->sample_max < LEAST_SAMPLES ? t->sample_max : LEAST_SAMPLES;
    return (int)count;
}

void ts_sizes(struct ts *t, long least, long most, void (*f)(struct ts *t, int bytes))
{
    const long last = most < t->bytes_max ? most : t->bytes_max;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i] >= least && sizes[i] <= last)
            f(t, sizes[i]);
}

void ts_begin(struct ts *t)
{
    t->core_to_core_ns = place_look(t->rank == 0);
}

void ts_end(struct ts *t)
{
    t->core_to_core_ns = place_kept_ns(t->core_to_core_ns, place_look(t->rank == 0));
}

static const char *label(const struct ts *t, char *all, const char *labels, const char *metric)
{
    char some[LABEL_ROOM];
    snprintf(some, sizeof some, "%s, \"metric\": \"%s\"", labels, metric);
    return place_label(all, LABEL_ROOM, some, t->core_to_core_ns);
}

void ts_emit(const struct ts *t, const char *labels, const char *metric, const double *seconds,
             int count)
{
    char all[LABEL_ROOM];
    if (t->out)
        bench_emit(t->out, label(t, all, labels, metric), seconds, count);
}

void ts_emit_in(const struct ts *t, const char *labels, const char *metric, const char *unit,
                const double *values, int count)
{
    char all[LABEL_ROOM];
    if (t->out)
        bench_emit_in(t->out, label(t, all, labels, metric), unit, values, count);
}

char *ts_memory(size_t bytes)
{
    char *p = malloc(bytes);
    if (p == NULL)
        bench_die("no memory");
    memset(p, 0x55, bytes);
    return p;
}

static char pattern(long i, int seed)
{
    return (char)(i * 7 + i / 251 + seed);
}

void ts_fill(char *data, long bytes, int run, int stride, int seed)
{
    for (long i = 0; i < bytes; i++)
        data[i / run * stride + i % run] = pattern(i, seed);
}

void ts_check(struct ts *t, const char *data, long bytes, int run, int stride, int seed)
{
    for (long i = 0; i < bytes; i++)
        t->errors += data[i / run * stride + i % run] != pattern(i, seed);
}

double ts_clock_s(void)
{
    enum { TIMES = 1001 };
    double s[TIMES];
    for (int i = 0; i < TIMES; i++) {
        const double start = bench_now();
        s[i] = bench_now() - start;
    }
    return ts_median(s, TIMES);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double ts_median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof values[0], compare);
    return values[count / 2];
}
