// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// All processes accumulate on users of the last node at once. Usage: ghosts FILE LOAD USERS_PER_NODE OPS.
// Loads:
//     target  on the last rank, pieces of 1 KB at changing places
//     node    on the users of the last node in turn, pieces of 1 KB at changing places
//     whole   on the users of the last node in turn, all of the window each time
// Written: time of an operation, from the start to the last process's end; and, from below Casper, how
// many operations and bytes the MPI library was given for each rank that executes them.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "below.h"
#include "bench.h"

enum { WINDOW_COUNT = 8192, PIECE_COUNT = 128, FLUSH_EVERY = 16 };

static int rank, size, users_per_node, ops;
static const char *load;
static double ones[WINDOW_COUNT];

// Operation i of this process.
static int target_of(int i)
{
    const int first = size - users_per_node;
    return strcmp(load, "target") == 0 ? size - 1 : first + (rank + i) % users_per_node;
}

static int count_of(void)
{
    return strcmp(load, "whole") == 0 ? WINDOW_COUNT : PIECE_COUNT;
}

static MPI_Aint place_of(int i)
{
    return (MPI_Aint)((rank + 37L * i) % (WINDOW_COUNT / count_of())) * count_of();
}

static double run(MPI_Win win)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = bench_now();
    for (int i = 0; i < ops; i++) {
        MPI_Accumulate(ones, count_of(), MPI_DOUBLE, target_of(i), place_of(i), count_of(),
                       MPI_DOUBLE, MPI_SUM, win);
        if (i % FLUSH_EVERY == FLUSH_EVERY - 1)
            MPI_Win_flush_all(win);
    }
    MPI_Win_flush_all(win);
    bench_quiet_barrier();
    return bench_now() - start;
}

// Every operation added 1 to each element that it touched.
static long check(MPI_Win win, const double *base)
{
    double sum = 0, all = 0;
    MPI_Win_sync(win);
    for (int i = 0; i < WINDOW_COUNT; i++)
        sum += base[i];
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return rank == 0 && all != (double)size * ops * count_of();
}

static void write_counts(FILE *out, const struct below_counts *mine)
{
    long given[BELOW_RANKS];
    long long bytes[BELOW_RANKS];
    double values[BELOW_RANKS];
    MPI_Reduce(mine->ops, given, BELOW_RANKS, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(mine->ops_bytes, bytes, BELOW_RANKS, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank != 0)
        return;
    for (int i = 0; i < BELOW_RANKS; i++)
        values[i] = (double)given[i];
    bench_emit_in(out, "\"what\": \"operations\"", "count", values, BELOW_RANKS);
    for (int i = 0; i < BELOW_RANKS; i++)
        values[i] = (double)bytes[i];
    bench_emit_in(out, "\"what\": \"bytes\"", "bytes", values, BELOW_RANKS);
}

int main(int argc, char **argv)
{
    MPI_Win win;
    double *base;
    FILE *out = NULL;
    MPI_Init(&argc, &argv);
    if (argc != 5)
        bench_die("usage: ghosts FILE LOAD USERS_PER_NODE OPS");
    load = argv[2];
    users_per_node = atoi(argv[3]);
    ops = atoi(argv[4]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0 && (out = fopen(argv[1], "w")) == NULL)
        bench_die("cannot write %s", argv[1]);
    for (int i = 0; i < WINDOW_COUNT; i++)
        ones[i] = 1;
    MPI_Win_allocate(sizeof ones, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    memset(base, 0, sizeof ones);
    MPI_Win_lock_all(0, win);
    MPI_Win_sync(win);
    below_reset();
    const double each_us = 1e6 * run(win) / ((double)ops * size);
    const struct below_counts counts = below_counts;
    if (rank == 0)
        bench_emit_in(out, "\"what\": \"operation\"", "us", &each_us, 1);
    write_counts(out, &counts);
    long errors = check(win, base);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    const int code = bench_verdict(errors);
    MPI_Finalize();
    return code;
}
