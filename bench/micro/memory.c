// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Heap memory that windows cost a process, Casper's and the MPI library's together: COUNT windows at a
// time of BYTES bytes a process. Usage: memory FILE COUNT BYTES.
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static double heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)(info.uordblks + info.hblkhd);
}

// Each process writes into its part, so that it is there.
static long windows(MPI_Win *wins, int count, MPI_Aint bytes)
{
    long errors = 0;
    for (int i = 0; i < count; i++) {
        char *base;
        MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &wins[i]);
        base[0] = (char)i;
        base[bytes - 1] = (char)i;
        errors += base[0] != (char)i;
    }
    return errors;
}

static void windows_free(MPI_Win *wins, int count)
{
    for (int i = 0; i < count; i++)
        MPI_Win_free(&wins[i]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc != 4)
        bench_die("usage: memory FILE COUNT BYTES");
    const int count = atoi(argv[2]);
    MPI_Win *wins = calloc((size_t)count, sizeof *wins), first;
    if (wins == NULL)
        bench_die("no memory");
    long errors = windows(&first, 1, atol(argv[3])); // what is made once
    const double before = heap_bytes();
    errors += windows(wins, count, atol(argv[3]));
    const double each = (heap_bytes() - before) / count;
    windows_free(wins, count);
    windows_free(&first, 1);

    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *all = calloc((size_t)size, sizeof *all);
    if (all == NULL)
        bench_die("no memory");
    MPI_Gather(&each, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        FILE *out = fopen(argv[1], "w");
        if (out == NULL)
            bench_die("cannot write %s", argv[1]);
        bench_emit_in(out, "\"what\": \"heap of a window\"", "bytes", all, size);
        fclose(out);
    }
    free(all);
    free(wins);
    const int code = bench_verdict(errors);
    MPI_Finalize();
    return code;
}
