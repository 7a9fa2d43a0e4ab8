// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What the programs in phases share: the phase with its clock, the end that lets redirection change, and work that is
// not the same everywhere.
#ifndef BENCH_APP_H
#define BENCH_APP_H

#include <mpi.h>
#include <stdio.h>

struct app {
    int rank, size, hints, phase;
    int opened; // windows so far
    double phase_begin;
    long long phase_begin_unix_ns; // of the system's clock, for the times in Casper's report
    FILE *out;                     // rank 0
};

/** After MPI_Init. Arguments: PROGRAM FILE ... [hints]; takes the word `hints` away from them. */
void app_init(struct app *a, int *argc, char **argv);

/** Closes the file; gives the exit code. */
int app_end(struct app *a, long errors);

/** Collective. config is what a program with hints wants in the phase, "on" or "off". */
void app_phase_begin(struct app *a, const char *config, MPI_Win *wins, int win_count);

/** Collective: flush_all, barrier, and the info key that says so: what GA_SYNC does in the paper (TPDS 8). */
void app_phase_end(struct app *a, const char *kind, MPI_Win *wins, int win_count);

/** Collective, in lock_all: flush_all on all, a barrier. */
void app_sync(MPI_Win *wins, int win_count);

/** Collective: a window whose memory is zero, locked for all. config as above, for its creation. */
void *app_window(struct app *a, MPI_Aint bytes, int unit_bytes, const char *config, MPI_Win *win);

/**
 * Computes without MPI, about so many microseconds on the average over 16 turns: between none and twice that. The same
 * for all would keep processes in step, each in MPI when the others need it.
 */
void app_compute(double us, long turn);

#endif
