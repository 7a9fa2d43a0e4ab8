// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A series of timed actions of one origin towards one target, in a given state of the target:
//     idle  it sits in MPI_Recv and so makes progress
//     busy  it is outside MPI. It sleeps, so that origin and ghost have a core each; the origin
//     does
//           one action after the other
//     cold  like busy, with a pause before each action: whoever serves it may have gone to sleep
#ifndef BENCH_SERIES_H
#define BENCH_SERIES_H

#include <stdio.h>

enum { SERIES_SAMPLE_MAX = 10000 };

struct series {
    int rank, origin, target; // in MPI_COMM_WORLD
    double sleep_s;           // one sleep of a busy target
    int sample_max;           // wished
    int sample_count;
    // bench.h, at the origin, at the series' end; 0: it was another at its start
    double core_to_core_ns;
    double samples[SERIES_SAMPLE_MAX];
};

/** What is timed. */
typedef void series_action(void *context);

/** sleep_ms and sample_max as the command line gives them. Origin: rank 0, target: the last. */
void series_init(struct series *s, const char *sleep_ms, const char *sample_max);

/** Around what is timed otherwise than by series_run: collective, set core_to_core_ns. */
void series_begin(struct series *s);
void series_end(struct series *s);

/** bench_emit with the series' core_to_core_ns as one label more. */
void series_emit(const struct series *s, FILE *out, const char *labels, const double *seconds,
                 int count);

/** Collective; fills the samples of the origin. */
void series_run(struct series *s, const char *state, series_action *action, void *context);

#endif
