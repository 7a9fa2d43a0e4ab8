// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What all benchmark programs share: clock, computing, sleeping, and a file of results with one
// JSON object a line. They are plain MPI programs; nothing here knows of Casper.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdio.h>

/** Monotonic seconds, without calling MPI. */
double bench_now(void);

/** Computes for some seconds without calling MPI. Returns a number that depends on all of the work.
 */
double bench_compute(double seconds);

/** A fixed amount of computing, about so many of its steps in a microsecond. Returns as above. */
enum { BENCH_STEPS_PER_US = 230 };
double bench_steps(long count);

/** The same in larger units (some milliseconds each). Returns the same number each time. */
double bench_work(long unit_count);

/** Leaves the core for some seconds. */
void bench_sleep(double seconds);

/** Core-to-core latency: the round trip of a cache line between the caller's core and another one that
 * it may use, in ns, the shortest of some. 0: there is no other. Takes about a millisecond, when others
 * are quiet. A virtual machine may move its cores apart and together again (50 and 330 ns were seen to
 * change every few seconds): times of two processes that communicate compare at like latency alone. */
double bench_core_to_core_ns(void);

/** Prints the message of the process that found the fault and ends the job. */
__attribute__((noreturn, format(printf, 1, 2))) void bench_die(const char *format, ...);

/** Writes one line {LABELS, "unit": "us", "samples": [..]}; labels is a piece of JSON. */
void bench_emit(FILE *out, const char *labels, const double *seconds, int count);

/** The same with figures of another unit, as they are. */
void bench_emit_in(FILE *out, const char *labels, const char *unit, const double *values,
                   int count);

/** A barrier whose waiting processes leave the core, so that those who work have it. */
void bench_quiet_barrier(void);

/** Whether a name is among some. */
int bench_listed(const char *name, int count, char **names);

/** Adds the error counts of all processes, says so if there are any, and gives the exit code. */
int bench_verdict(long errors);

#endif
