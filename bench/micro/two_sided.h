// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What the benchmarks of messages share: two processes (others only wait), message sizes, data with a
// pattern, computing outside MPI. Arguments of all: PROGRAM FILE BYTES_MAX SAMPLES sleep|spin [MORE].
// Computing is a sleep (sleep), for machines with fewer cores than processes, where computing would
// take the core of those who carry the messages; or an amount of work (spin).
#ifndef BENCH_TWO_SIDED_H
#define BENCH_TWO_SIDED_H

#include <stdio.h>

enum { TS_SAMPLE_MAX = 10000, TS_TAG = 7 };

struct ts {
    int rank, size, peer; // peer: the other one of ranks 0 and 1
    int sleeps;
    double steps_per_s; // of computing that does not sleep
    long bytes_max;
    int sample_max;
    double core_to_core_ns; // of what was measured last, rank 0 (place.h)
    long errors;
    FILE *out; // rank 0
};

/** MPI_Init and the arguments. needs: how many processes at least, and if 2, at most; more: how many arguments [MORE]. */
void ts_open(struct ts *t, int argc, char **argv, int needs, int more, const char *usage);

/** Sums up the errors, MPI_Finalize; gives the exit code. */
int ts_close(struct ts *t);

/** Computes without MPI for about so many seconds; the real time is for the caller to measure. */
void ts_compute(const struct ts *t, double seconds);

/** How many samples of messages of so many bytes: fewer of large ones. */
int ts_samples(const struct ts *t, long bytes);

/** Calls f for each size from `least` up to the smaller of `most` and BYTES_MAX. */
void ts_sizes(struct ts *t, long least, long most, void (*f)(struct ts *t, int bytes));

/** Collective, around what is timed, the data checks outside: all begin at once, and looks where the
 * machine has its cores. */
void ts_begin(struct ts *t);
void ts_end(struct ts *t);

/** Rank 0 writes a line, in us; labels: a piece of JSON. */
void ts_emit(const struct ts *t, const char *labels, const char *metric, const double *seconds,
             int count);

/** The same with figures of another unit, as they are. */
void ts_emit_in(const struct ts *t, const char *labels, const char *metric, const char *unit,
                const double *values, int count);

/** Memory that has been touched; ends the job if there is none. */
char *ts_memory(size_t bytes);

/** A pattern by seed, in runs of `run` bytes at distances of `stride`; ts_check adds wrong bytes to the errors. */
void ts_fill(char *data, long bytes, int run, int stride, int seed);
void ts_check(struct ts *t, const char *data, long bytes, int run, int stride, int seed);

/** What an interval takes in which nothing is done. */
double ts_clock_s(void);

double ts_median(double *values, int count);

#endif
