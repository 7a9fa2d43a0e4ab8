// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// See bench.h.
#define _GNU_SOURCE // CPU sets
#include "bench.h"

#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_steps(long count)
{
    double x = 0.5;
    for (long i = 0; i < count; i++)
        x = 3.7 * x * (1.0 - x);
    return x;
}

double bench_work(long unit_count)
{
    const long steps_per_unit = 600000;
    return bench_steps(unit_count * steps_per_unit);
}

double bench_compute(double seconds)
{
    const double end = bench_now() + seconds;
    double x = 0.5;
    while (bench_now() < end)
        for (int i = 0; i < 10000; i++)
            x = 3.7 * x * (1.0 - x);
    return x;
}

void bench_sleep(double seconds)
{
    const long ns = lround(seconds * 1e9);
    struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    while (nanosleep(&t, &t) != 0)
        ;
}

enum { TRIPS = 100, TRIP_BLOCKS = 20, LINE_BYTES = 128 };

static _Alignas(LINE_BYTES) atomic_int ball; // odd: the other thread's turn; below 0: the end

static void *return_balls(void *unused)
{
    (void)unused;
    for (;;) {
        const int seen = atomic_load_explicit(&ball, memory_order_acquire);
        if (seen < 0)
            return NULL;
        if (seen % 2 == 1)
            atomic_store_explicit(&ball, seen + 1, memory_order_release);
    }
}

static double play(void)
{
    double best_s = 1;
    for (int b = 0; b < TRIP_BLOCKS; b++) {
        const double start = bench_now();
        for (int i = 2 * TRIPS * b; i < 2 * TRIPS * (b + 1); i += 2) {
            atomic_store_explicit(&ball, i + 1, memory_order_release);
            while (atomic_load_explicit(&ball, memory_order_acquire) != i + 2)
                ;
        }
        best_s = fmin(best_s, (bench_now() - start) / TRIPS);
    }
    atomic_store(&ball, -1);
    return 1e9 * best_s;
}

double bench_core_to_core_ns(void)
{
    cpu_set_t others;
    pthread_attr_t how;
    pthread_t thread;
    double ns = 0;
    if (sched_getaffinity(0, sizeof others, &others) != 0)
        return 0;
    CPU_CLR(sched_getcpu(), &others);
    if (CPU_COUNT(&others) == 0)
        return 0;
    pthread_attr_init(&how);
    pthread_attr_setaffinity_np(&how, sizeof others, &others);
    atomic_store(&ball, 0); // the last player left it below
    if (pthread_create(&thread, &how, return_balls, NULL) == 0) {
        ns = play();
        pthread_join(thread, NULL);
    }
    pthread_attr_destroy(&how);
    return ns;
}

void bench_die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void emit(FILE *out, const char *labels, const char *unit, double factor,
                 const double *values, int count)
{
    fprintf(out, "{%s, \"unit\": \"%s\", \"samples\": [", labels, unit);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%.5f", i == 0 ? "" : ", ", factor * values[i]);
    fprintf(out, "]}\n");
    fflush(out);
}

void bench_emit(FILE *out, const char *labels, const double *seconds, int count)
{
    emit(out, labels, "us", 1e6, seconds, count);
}

void bench_emit_in(FILE *out, const char *labels, const char *unit, const double *values, int count)
{
    emit(out, labels, unit, 1, values, count);
}

void bench_quiet_barrier(void)
{
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
        bench_sleep(0.001);
    }
}

int bench_listed(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return 1;
    return 0;
}

int bench_verdict(long errors)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(MPI_IN_PLACE, &errors, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && errors != 0)
        fprintf(stderr, "data check: %ld wrong values\n", errors);
    return errors == 0 ? 0 : 1;
}
