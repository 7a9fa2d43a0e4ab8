// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What ghosts cost where they have no core of their own. First every rank computes a fixed amount,
// with a window open and nothing to do for the ghosts: how long does the slowest take? Then all
// compute on, and rank 0 now and then does one MPI_Fetch_and_op on the last rank, which is on
// another node: how long until the answer? Usage: shared_cores FILE WORK_UNITS ASK_SECONDS
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { ANSWER_MAX = 1000 };

static struct {
    int rank, size;
    MPI_Win win;
    int64_t *base;
    long asked;
} g;

static double quiet_work(long unit_count)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = bench_now();
    const double number = bench_work(unit_count);
    double elapsed = bench_now() - start;
    if (!(number > 0.0 && number < 1.0))
        bench_die("the computation went wrong: %g", number);
    MPI_Allreduce(MPI_IN_PLACE, &elapsed, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return elapsed;
}

static double ask(int target)
{
    const int64_t one = 1;
    int64_t before = -1;
    const double start = bench_now();
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, target, 0, MPI_SUM, g.win);
    MPI_Win_flush(target, g.win);
    const double elapsed = bench_now() - start;
    if (before != g.asked++)
        bench_die("wrong answer: %ld instead of %ld", (long)before, g.asked - 1);
    return elapsed;
}

// Rank 0 asks after each slice of computing, of uneven length; the others compute all the time.
static int ask_in_slices(int target, double *answer_s, double seconds)
{
    const double end = bench_now() + 0.8 * seconds;
    int count = 0;
    if (g.rank != 0)
        bench_compute(seconds);
    while (g.rank == 0 && count < ANSWER_MAX && bench_now() < end) {
        bench_compute(1e-3 * (3.0 + count % 7));
        answer_s[count++] = ask(target);
    }
    return count;
}

static long check(int target)
{
    MPI_Bcast(&g.asked, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Win_sync(g.win);
    return g.base[0] != (g.rank == target ? g.asked : 0);
}

int main(int argc, char **argv)
{
    double answer_s[ANSWER_MAX];
    FILE *out = NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g.size);
    if (argc != 4 || g.size < 2)
        bench_die("usage, with at least two ranks: shared_cores FILE WORK_UNITS ASK_SECONDS");
    if (g.rank == 0 && (out = fopen(argv[1], "w")) == NULL)
        bench_die("cannot write %s", argv[1]);
    const int target = g.size - 1;
    // MPICH 4.0.2 mixes up windows inside a node whose sizes are not multiples of 16.
    MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &g.base, &g.win);
    g.base[0] = 0;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, g.win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (g.rank == 0)
        ask(target);
    const double work_s = quiet_work(atol(argv[2]));
    const int count = ask_in_slices(target, answer_s, atof(argv[3]));
    const long errors = check(target);
    if (g.rank == 0) {
        bench_emit(out, "\"what\": \"work\"", &work_s, 1);
        bench_emit(out, "\"what\": \"answer\"", answer_s, count);
    }
    MPI_Win_unlock_all(g.win);
    MPI_Win_free(&g.win);
    const int code = bench_verdict(errors);
    MPI_Finalize();
    return code;
}
