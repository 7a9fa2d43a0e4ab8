// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// See series.h.
#include "series.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "place.h"

enum { BUSY_ROUNDS = 4, IDLE_LEAST = 5, WARM_UP = 3, TAG_DONE = 1 };
static const double SETTLE_S = 0.005; // until who spins is alone on a core

void series_init(struct series *s, const char *sleep_ms, const char *sample_max)
{
    const int most = SERIES_SAMPLE_MAX - IDLE_LEAST - WARM_UP;
    int size;
    MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2)
        bench_die("this benchmark needs at least two ranks");
    s->origin = 0;
    s->target = size - 1;
    s->sleep_s = 1e-3 * atof(sleep_ms);
    s->sample_max = atoi(sample_max) < most ? atoi(sample_max) : most;
    s->sample_count = 0;
}

static void timed(struct series *s, series_action *action, void *context)
{
    const double start = bench_now();
    action(context);
    s->samples[s->sample_count++] = bench_now() - start;
}

// The last action counts if it alone took longer.
static void settle(struct series *s, series_action *action, void *context)
{
    const int count = s->sample_count;
    const double end = bench_now() + SETTLE_S;
    do {
        s->sample_count = count;
        timed(s, action, context);
    } while (bench_now() < end);
    s->sample_count -= s->samples[count] < SETTLE_S;
}

// At most about the time of two sleeps, and never fewer than IDLE_LEAST samples.
static void origin_idle(struct series *s, series_action *action, void *context)
{
    for (int i = 0; i < WARM_UP; i++)
        timed(s, action, context);
    s->sample_count = 0;
    const double end = bench_now() + 2 * s->sleep_s;
    while (s->sample_count < s->sample_max && (s->sample_count < IDLE_LEAST || bench_now() < end))
        timed(s, action, context);
    MPI_Send(NULL, 0, MPI_INT, s->target, TAG_DONE, MPI_COMM_WORLD);
}

// The last action starts well before the target awakes.
static void origin_busy(struct series *s, double pause_s, series_action *action, void *context)
{
    const double end = bench_now() + 0.7 * s->sleep_s;
    const int stop = s->sample_count + s->sample_max / BUSY_ROUNDS;
    bench_compute(0.002); // the target falls asleep
    if (pause_s <= 0)
        settle(s, action, context);
    while (s->sample_count < stop && bench_now() < end) {
        if (pause_s > 0)
            bench_sleep(pause_s);
        timed(s, action, context);
    }
}

static void target_idle(const struct series *s)
{
    MPI_Recv(NULL, 0, MPI_INT, s->origin, TAG_DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void series_begin(struct series *s)
{
    s->core_to_core_ns = place_look(s->rank == s->origin);
}

void series_end(struct series *s)
{
    s->core_to_core_ns = place_kept_ns(s->core_to_core_ns, place_look(s->rank == s->origin));
}

void series_emit(const struct series *s, FILE *out, const char *labels, const double *seconds,
                 int count)
{
    char all[256];
    bench_emit(out, place_label(all, sizeof all, labels, s->core_to_core_ns), seconds, count);
}

void series_run(struct series *s, const char *state, series_action *action, void *context)
{
    const int idle = strcmp(state, "idle") == 0;
    const double pause_s = strcmp(state, "cold") == 0 ? 0.001 : 0;
    const int round_count = idle ? 1 : BUSY_ROUNDS;
    s->sample_count = 0;
    series_begin(s);
    for (int r = 0; r < round_count; r++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (s->rank == s->origin && idle)
            origin_idle(s, action, context);
        else if (s->rank == s->origin)
            origin_busy(s, pause_s, action, context);
        else if (s->rank == s->target && idle)
            target_idle(s);
        else if (s->rank == s->target)
            bench_sleep(s->sleep_s);
        else
            bench_sleep(idle ? 2 * s->sleep_s : s->sleep_s); // leaves its core
    }
    series_end(s);
}
