// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The programs of TPDS 7.3 and 7.4, written anew from their description: phases of iterations of GET, computing,
// ACC, each with a flush, all processes to all in turns, a barrier behind each phase. COMP phases compute much and
// do one operation a time, COMM phases compute little and do many. Operations carry a 2x2x2 cube of doubles into
// an 8x8x8 window.
//   phases FILE comp|comm|multi COMP_ITERATIONS COMM_ITERATIONS COMP_S COMM_S [hints]
// comp, comm: two phases of the kind on one window. multi: two windows one after the other, COMP COMP COMM
// COMM on each. hints: says by info what each phase wants (user-guided, TPDS 5.2); otherwise each phase ends with
// an info key that only says that all are there.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../micro/bench.h"

enum {
    SIDE = 8,
    CUBE = 2,
    CELLS = SIDE * SIDE * SIDE,
    VALUES = CUBE * CUBE * CUBE,
    OPS_COMM = 100
};

enum kind { COMP, COMM };

static struct {
    int rank, size, hints;
    FILE *out;
    long iterations[2];
    double compute_s[2];
    MPI_Datatype cube;
    MPI_Win win;
    double *base;
    long accumulated; // operations that this process issued, with value 1
    int phase;
} g;

static void say(const char *key, const char *value)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "symmetric", "true");
    if (key)
        MPI_Info_set(info, key, value);
    MPI_Win_set_info(g.win, info);
    MPI_Info_free(&info);
}

// The next target: all in turns, each process starts elsewhere.
static int target(long n)
{
    return (int)((g.rank + 1 + n) % g.size);
}

static void iterate(enum kind kind, long iteration)
{
    const int ops = kind == COMP ? 1 : OPS_COMM;
    double here[OPS_COMM][VALUES], ones[VALUES];
    for (int i = 0; i < VALUES; i++)
        ones[i] = 1.0;
    for (int i = 0; i < ops; i++)
        MPI_Get(here[i], VALUES, MPI_DOUBLE, target(iteration + i), 0, 1, g.cube, g.win);
    MPI_Win_flush_all(g.win);
    bench_compute(g.compute_s[kind]);
    for (int i = 0; i < ops; i++)
        MPI_Accumulate(ones, VALUES, MPI_DOUBLE, target(iteration + i), 0, 1, g.cube, MPI_SUM,
                       g.win);
    MPI_Win_flush_all(g.win);
    g.accumulated += ops;
}

static void run_phase(enum kind kind)
{
    if (g.hints && g.phase > 0)
        say("async_config", kind == COMP ? "on" : "off");
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = bench_now();
    for (long i = 0; i < g.iterations[kind]; i++)
        iterate(kind, i);
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = bench_now() - start;
    if (!g.hints)
        say(NULL, NULL);
    g.phase++;
    if (g.rank == 0)
        fprintf(g.out, "{\"phase\": %d, \"kind\": \"%s\", \"seconds\": %.6f}\n", g.phase,
                kind == COMP ? "COMP" : "COMM", seconds);
}

static void open_window(void)
{
    MPI_Info info = MPI_INFO_NULL;
    if (g.hints) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "async_config", g.iterations[COMP] > 0 ? "on" : "off");
    }
    MPI_Win_allocate(CELLS * sizeof(double), sizeof(double), info, MPI_COMM_WORLD, &g.base, &g.win);
    if (g.hints)
        MPI_Info_free(&info);
    memset(g.base, 0, CELLS * sizeof(double));
    g.accumulated = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, g.win);
}

// Every accumulate added 1 to eight cells of somebody. @return wrong values
static long close_window(void)
{
    double sum = 0, all = 0;
    long issued = 0;
    MPI_Win_unlock_all(g.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, g.rank, 0, g.win);
    for (int i = 0; i < CELLS; i++)
        sum += g.base[i];
    MPI_Win_unlock(g.rank, g.win);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&g.accumulated, &issued, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_free(&g.win);
    return g.rank == 0 && all != (double)issued * VALUES;
}

static long run_window(int comp_phases, int comm_phases)
{
    open_window();
    for (int i = 0; i < comp_phases; i++)
        run_phase(COMP);
    for (int i = 0; i < comm_phases; i++)
        run_phase(COMM);
    return close_window();
}

static void read_arguments(int argc, char **argv)
{
    if (argc < 7 || (argc == 8 && strcmp(argv[7], "hints") != 0) || argc > 8)
        bench_die("usage: phases FILE comp|comm|multi COMP_ITERATIONS COMM_ITERATIONS COMP_S "
                  "COMM_S [hints]");
    g.iterations[COMP] = strtol(argv[3], NULL, 10);
    g.iterations[COMM] = strtol(argv[4], NULL, 10);
    g.compute_s[COMP] = strtod(argv[5], NULL);
    g.compute_s[COMM] = strtod(argv[6], NULL);
    g.hints = argc == 8;
    if (g.rank == 0 && (g.out = fopen(argv[1], "w")) == NULL)
        bench_die("cannot write %s", argv[1]);
}

int main(int argc, char **argv)
{
    const int sizes[] = {SIDE, SIDE, SIDE}, cube[] = {CUBE, CUBE, CUBE}, start[] = {3, 3, 3};
    long errors = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g.size);
    read_arguments(argc, argv);
    MPI_Type_create_subarray(3, sizes, cube, start, MPI_ORDER_C, MPI_DOUBLE, &g.cube);
    MPI_Type_commit(&g.cube);
    if (strcmp(argv[2], "comp") == 0)
        errors = run_window(2, 0);
    else if (strcmp(argv[2], "comm") == 0)
        errors = run_window(0, 2);
    else if (strcmp(argv[2], "multi") == 0)
        errors = run_window(2, 2) + run_window(2, 2);
    else
        bench_die("phases: no such program: %s", argv[2]);
    MPI_Type_free(&g.cube);
    if (g.out)
        fclose(g.out);
    const int code = bench_verdict(errors);
    MPI_Finalize();
    return code;
}
