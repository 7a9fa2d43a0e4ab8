// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A library between Casper and the MPI library (or between the program and it, when plain): it defines
// some PMPI functions, which Casper finds first. It counts what the MPI library is asked for, and can
// keep operations away from it: what a call then takes is Casper's own part.
#ifndef BENCH_BELOW_H
#define BENCH_BELOW_H

#include <mpi.h>

enum { BELOW_RANKS = 64 };

struct below_counts {
    long attributes;       // look-ups on windows, communicators and datatypes
    long flushes;          // MPI_Win_flush
    long swallowed;        // operations that ended here
    long ops[BELOW_RANKS]; // accumulates, by rank in the window that the MPI library sees
    long long ops_bytes[BELOW_RANKS];
};
extern struct below_counts below_counts;

/** Not 0: operations end here. */
extern int below_swallow;

/** Forgets what was counted. */
void below_reset(void);

/** MPI_Put as this library defines it, without Casper: what a swallowed call costs by itself. */
int below_put(const void *origin, int origin_count, MPI_Datatype origin_type, int rank,
              MPI_Aint disp, int count, MPI_Datatype type, MPI_Win win);

#endif
