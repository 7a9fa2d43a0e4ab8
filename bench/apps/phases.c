// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The programs of TPDS 7.3 and 7.4, written anew from their description: phases of iterations of GET, computing,
// ACC, each with a flush, all processes to all in turns, a barrier behind each phase. COMP phases compute much and
// do one operation a time, COMM phases compute little and do many. Operations carry a 2x2x2 cube of doubles into
// an 8x8x8 window.
//   phases FILE comp|comm|multiphase COMP_ITERATIONS COMM_ITERATIONS COMP_US COMM_US [hints]
// comp, comm: two phases of the kind on one window. multiphase: two windows one after the other, COMP COMP COMM
// COMM on each. hints: says by info what each phase wants (user-guided, TPDS 5.2); otherwise each phase ends with
// an info key that only says that all are there.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "../micro/bench.h"
#include "app.h"

enum {
    SIDE = 8,
    CUBE = 2,
    CELLS = SIDE * SIDE * SIDE,
    VALUES = CUBE * CUBE * CUBE,
    OPS_COMM = 100
};

enum kind { COMP, COMM };
static const char *const wish[] = {"on", "off"}; // of a program with hints, by kind

static struct app app;
static struct {
    long iterations[2];
    double compute_us[2];
    MPI_Datatype cube;
    MPI_Win win;
    double *base;
    long accumulated; // operations that this process issued, with value 1
} g;

// The next target: all in turns, each process starts elsewhere.
static int target(long n)
{
    return (int)((app.rank + 1 + n) % app.size);
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
    app_compute(g.compute_us[kind], iteration + 13L * app.rank);
    for (int i = 0; i < ops; i++)
        MPI_Accumulate(ones, VALUES, MPI_DOUBLE, target(iteration + i), 0, 1, g.cube, MPI_SUM,
                       g.win);
    MPI_Win_flush_all(g.win);
    g.accumulated += ops;
}

static void run_phase(enum kind kind)
{
    app_phase_begin(&app, wish[kind], &g.win, 1);
    for (long i = 0; i < g.iterations[kind]; i++)
        iterate(kind, i);
    app_phase_end(&app, kind == COMP ? "COMP" : "COMM", &g.win, 1);
}

// Every accumulate added 1 to eight cells of somebody. @return wrong values
static long close_window(void)
{
    double sum = 0, all = 0;
    long issued = 0;
    MPI_Win_unlock_all(g.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, app.rank, 0, g.win);
    for (int i = 0; i < CELLS; i++)
        sum += g.base[i];
    MPI_Win_unlock(app.rank, g.win);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&g.accumulated, &issued, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_free(&g.win);
    return app.rank == 0 && all != (double)issued * VALUES;
}

static long run_window(int comp_phases, int comm_phases)
{
    const enum kind first = comp_phases > 0 ? COMP : COMM;
    g.base = app_window(&app, CELLS * sizeof(double), sizeof(double), wish[first], &g.win);
    g.accumulated = 0;
    for (int i = 0; i < comp_phases; i++)
        run_phase(COMP);
    for (int i = 0; i < comm_phases; i++)
        run_phase(COMM);
    return close_window();
}

static long run_program(const char *name)
{
    if (strcmp(name, "comp") == 0)
        return run_window(2, 0);
    if (strcmp(name, "comm") == 0)
        return run_window(0, 2);
    if (strcmp(name, "multiphase") == 0)
        return run_window(2, 2) + run_window(2, 2);
    bench_die("phases: no such program: %s", name);
}

int main(int argc, char **argv)
{
    const int sizes[] = {SIDE, SIDE, SIDE}, cube[] = {CUBE, CUBE, CUBE}, start[] = {3, 3, 3};

    MPI_Init(&argc, &argv);
    app_init(&app, &argc, argv);
    if (argc != 7)
        bench_die("usage: phases FILE comp|comm|multiphase COMP_ITERATIONS COMM_ITERATIONS COMP_US "
                  "COMM_US [hints]");
    for (int kind = COMP; kind <= COMM; kind++) {
        g.iterations[kind] = strtol(argv[3 + kind], NULL, 10);
        g.compute_us[kind] = strtod(argv[5 + kind], NULL);
    }
    MPI_Type_create_subarray(3, sizes, cube, start, MPI_ORDER_C, MPI_DOUBLE, &g.cube);
    MPI_Type_commit(&g.cube);
    const long errors = run_program(argv[2]);
    MPI_Type_free(&g.cube);
    const int code = app_end(&app, errors);
    MPI_Finalize();
    return code;
}
