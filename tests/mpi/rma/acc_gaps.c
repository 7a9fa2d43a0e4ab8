// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Get_accumulate of more than a megabyte with gaps on every side in turn, between short and between long runs: results,
// target, and what lies in the gaps.
#include "csp_test_rma.h"

enum { N = 150000, ROOM = 2 * N, LONG = 500 };

static const int runs[] = {0, 1, LONG}; // doubles; 0: no gaps
enum { LAYOUTS = sizeof runs / sizeof *runs };

static double *origin, *result, *there;
static MPI_Win win;
static int to;

static MPI_Datatype type_of(int run)
{
    MPI_Datatype type;
    if (run)
        MPI_Type_vector(N / run, run, 2 * run, MPI_DOUBLE, &type);
    else
        MPI_Type_contiguous(N, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static int place(int run, int i)
{
    return run ? i / run * 2 * run + i % run : i;
}

// In the target, before.
static double old(int at)
{
    return at % 1000 + 1;
}

static double given(int i)
{
    return i % 777 + 1;
}

static double wanted(MPI_Op op, int at, int i)
{
    if (op == MPI_NO_OP)
        return old(at);
    return op == MPI_SUM ? old(at) + given(i) : given(i);
}

static void fill(int origin_run)
{
    for (int at = 0; at < ROOM; at++) {
        origin[at] = result[at] = -1;
        there[at] = old(at);
    }
    for (int i = 0; i < N; i++)
        origin[place(origin_run, i)] = given(i);
    MPI_Put(there, ROOM, MPI_DOUBLE, to, 0, ROOM, MPI_DOUBLE, win);
    MPI_Win_flush(to, win);
}

// Elements are looked at and made like gaps.
static void look(MPI_Op op, int target_run, int result_run)
{
    int wrong = 0;
    MPI_Get(there, ROOM, MPI_DOUBLE, to, 0, ROOM, MPI_DOUBLE, win);
    MPI_Win_flush(to, win);
    for (int i = 0; i < N; i++) {
        int at = place(target_run, i), back = place(result_run, i);
        wrong += there[at] != wanted(op, at, i) || result[back] != old(at);
        there[at] = old(at);
        result[back] = -1;
    }
    for (int at = 0; at < ROOM; at++)
        wrong += there[at] != old(at) || result[at] != -1;
    CHECK_INT(wrong, 0);
}

static void try(MPI_Op op, const int *run)
{
    MPI_Datatype type[3];
    for (int side = 0; side < 3; side++)
        type[side] = type_of(run[side]);
    fill(run[0]);
    MPI_Get_accumulate(origin, 1, type[0], result, 1, type[1], to, 0, 1, type[2], op, win);
    MPI_Win_flush(to, win);
    look(op, run[2], run[1]);
    for (int side = 0; side < 3; side++)
        MPI_Type_free(&type[side]);
}

int main(void)
{
    static const MPI_Op ops[] = {MPI_SUM, MPI_REPLACE, MPI_NO_OP};
    csp_test_init();
    double *base = csp_test_win_new(ROOM * sizeof *base, sizeof *base, MPI_COMM_WORLD, &win);
    origin = csp_test_malloc(ROOM * sizeof *origin);
    result = csp_test_malloc(ROOM * sizeof *result);
    there = csp_test_malloc(ROOM * sizeof *there);
    to = (csp_test_rank + 1) % csp_test_size;
    MPI_Win_lock_all(0, win);
    for (int k = 0; k < LAYOUTS * LAYOUTS * LAYOUTS; k++) {
        int run[] = {runs[k % LAYOUTS], runs[k / LAYOUTS % LAYOUTS], runs[k / LAYOUTS / LAYOUTS]};
        PHASE("gaps");
        try(ops[k % 3], run);
        try(ops[(k + 1) % 3], run);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(origin);
    free(result);
    free(there);
    return csp_test_done();
}
