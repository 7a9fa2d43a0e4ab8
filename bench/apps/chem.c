// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Kernels with the communication of two NWChem modules (TPDS 8), written anew from their description.
//   chem FILE dft|ccsd SCF FOUR CCSD TRIPLES WORK_US [hints]
// Numbers are rounds: how often a phase goes through all of its tasks. Tasks are handed out by MPI_Fetch_and_op on one
// counter, NXTASK; blocks are strided pieces of matrices whose rows of blocks are dealt out to the processes.
//   dft   one phase SCF: get a block, compute, accumulate it (in the other order of its indices)
//   ccsd  SCF     the same
//         4INDEX  accumulate blocks that all belong to one process, with little computing
//         CCSD    get two blocks, compute more, accumulate
//         (T)     get two blocks, compute most
// Each round ends like GA_SYNC: flush_all, a barrier; each phase with the info key that says so.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "../micro/bench.h"
#include "app.h"

enum { BLOCK = 24, SIDE = 8, TASKS = SIDE * SIDE, VALUES = BLOCK * BLOCK, WIDTH = SIDE * BLOCK };
enum { SCF, FOUR, CCSD, TRIPLES, PHASES };
enum { DENSITY, FOCK, INTEGRALS, NXTASK, WINDOWS };
enum { MOST_ROUNDS = 100000 };

struct phase {
    const char *name, *wish; // of a program with hints
    int gets, update;        // blocks
    double work;             // part of WORK_US
};
static const struct phase phases[PHASES] = {{"SCF", "on", 1, 1, 0.5},
                                            {"4INDEX", "off", 0, 0, 0.02},
                                            {"CCSD", "on", 2, 1, 1},
                                            {"(T)", "on", 2, 0, 2}};

static struct app app;
static struct {
    MPI_Win win[WINDOWS];
    double *base[INTEGRALS + 1];
    MPI_Datatype block;
    long rounds[PHASES];
    double work_us;
    long turn;    // rounds so far, of all phases: each has a counter
    long updates; // rounds that accumulated all blocks
    long errors;
} g;

// Exact in a double, and different in neighbours.
static double density(int row, int column)
{
    return (3 * row + 5 * column) % 7 + 1;
}

static int owner(int block_row)
{
    return block_row % app.size;
}

static MPI_Aint place(int block_row, int block_column)
{
    return (MPI_Aint)(block_row / app.size) * BLOCK * WIDTH + (MPI_Aint)block_column * BLOCK;
}

static long next_task(void)
{
    const long one = 1;
    long task = -1;
    MPI_Fetch_and_op(&one, &task, MPI_LONG, 0, (MPI_Aint)g.turn, MPI_SUM, g.win[NXTASK]);
    MPI_Win_flush(0, g.win[NXTASK]);
    if (task < 0)
        bench_die("chem: MPI_Fetch_and_op and MPI_Win_flush brought no value");
    return task;
}

static void get_block(int row, int column, double *values)
{
    for (int i = 0; i < VALUES; i++)
        values[i] = -1;
    MPI_Get(values, VALUES, MPI_DOUBLE, owner(row), place(row, column), 1, g.block, g.win[DENSITY]);
    MPI_Win_flush(owner(row), g.win[DENSITY]);
    for (int i = 0; i < VALUES; i++)
        g.errors += values[i] != density(row * BLOCK + i / BLOCK, column * BLOCK + i % BLOCK);
}

static void accumulate(int matrix, int to, MPI_Aint at, const double *values)
{
    MPI_Accumulate(values, VALUES, MPI_DOUBLE, to, at, 1, g.block, MPI_SUM, g.win[matrix]);
    MPI_Win_flush(to, g.win[matrix]);
}

// The tasks of a round in an order without a pattern: with one, processes in step would get tasks of their own blocks only, or
// short ones, and how much there is to do would depend on who is when where.
static long scattered(long task)
{
    const unsigned mask = TASKS - 1;
    unsigned x = (unsigned)(task + g.turn) & mask;
    for (int i = 0; i < 2; i++)
        x = ((x ^ (x >> 3)) * 37) & mask;
    return x;
}

static void get_compute_update(const struct phase *p, long task)
{
    double values[2][VALUES];
    const int row = (int)(task / SIDE), column = (int)(task % SIDE);
    for (int i = p->gets - 1; i >= 0; i--)
        get_block((row + i) % SIDE, column, values[i]);
    app_compute(p->work * g.work_us, task);
    if (p->update)
        accumulate(FOCK, owner(column), place(column, row), values[0]);
}

// The process that owns the first block row gets everybody's.
static void transform(const struct phase *p, long task)
{
    double values[VALUES];
    for (int i = 0; i < VALUES; i++)
        values[i] = 1;
    app_compute(p->work * g.work_us, task);
    for (int column = 0; column < SIDE; column++)
        accumulate(INTEGRALS, 0, place(0, column), values);
}

static void run_phase(int which)
{
    const struct phase *p = &phases[which];
    app_phase_begin(&app, p->wish, g.win, WINDOWS);
    for (long round = 0; round < g.rounds[which]; round++) {
        for (long task; (task = next_task()) < TASKS;)
            which == FOUR ? transform(p, task) : get_compute_update(p, scattered(task));
        g.turn++;
        g.updates += p->update;
        app_sync(g.win, WINDOWS);
    }
    app_phase_end(&app, p->name, g.win, WINDOWS);
}

static void open_windows(long turns)
{
    const MPI_Aint bytes = (MPI_Aint)sizeof(double) * WIDTH * BLOCK * (SIDE / app.size + 1);
    for (int i = DENSITY; i <= INTEGRALS; i++)
        g.base[i] = app_window(&app, bytes, sizeof(double), "on", &g.win[i]);
    app_window(&app, (MPI_Aint)sizeof(long) * turns, sizeof(long), "on", &g.win[NXTASK]);
    for (int row = app.rank; row < SIDE; row += app.size)
        for (int i = 0; i < BLOCK * WIDTH; i++)
            g.base[DENSITY][place(row, 0) + i] = density(row * BLOCK + i / WIDTH, i % WIDTH);
    MPI_Win_sync(g.win[DENSITY]);
    MPI_Barrier(MPI_COMM_WORLD);
}

// The Fock matrix got the density's blocks, each as often as there were rounds, their indices exchanged.
static void check_fock(void)
{
    for (int row = app.rank; row < SIDE; row += app.size)
        for (int i = 0; i < BLOCK * WIDTH; i++) {
            const int column = i % WIDTH;
            const double each =
                density(column / BLOCK * BLOCK + i / WIDTH, row * BLOCK + column % BLOCK);
            g.errors += g.base[FOCK][place(row, 0) + i] != (double)g.updates * each;
        }
}

static void check_integrals(void)
{
    for (int i = 0; app.rank == 0 && i < BLOCK * WIDTH; i++)
        g.errors += g.base[INTEGRALS][i] != (double)g.rounds[FOUR] * TASKS;
}

static void close_windows(void)
{
    for (int i = 0; i < WINDOWS; i++)
        MPI_Win_sync(g.win[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    check_fock();
    check_integrals();
    for (int i = 0; i < WINDOWS; i++) {
        MPI_Win_unlock_all(g.win[i]);
        MPI_Win_free(&g.win[i]);
    }
}

static void read_arguments(int argc, char **argv)
{
    app_init(&app, &argc, argv);
    if (argc != 8)
        bench_die("usage: chem FILE dft|ccsd SCF FOUR CCSD TRIPLES WORK_US [hints]");
    const int dft = strcmp(argv[2], "dft") == 0;
    if (!dft && strcmp(argv[2], "ccsd") != 0)
        bench_die("chem: no such program: %s", argv[2]);
    for (int i = 0; i < (dft ? 1 : PHASES); i++) {
        g.rounds[i] = strtol(argv[3 + i], NULL, 10);
        if (g.rounds[i] < 1 || g.rounds[i] > MOST_ROUNDS)
            bench_die("chem: rounds from 1 to %d", MOST_ROUNDS);
    }
    g.work_us = strtod(argv[7], NULL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    read_arguments(argc, argv);
    MPI_Type_vector(BLOCK, BLOCK, WIDTH, MPI_DOUBLE, &g.block);
    MPI_Type_commit(&g.block);
    open_windows(g.rounds[SCF] + g.rounds[FOUR] + g.rounds[CCSD] + g.rounds[TRIPLES]);
    for (int i = 0; i < PHASES; i++)
        if (g.rounds[i] > 0)
            run_phase(i);
    close_windows();
    MPI_Type_free(&g.block);
    const int code = app_end(&app, g.errors);
    MPI_Finalize();
    return code;
}
