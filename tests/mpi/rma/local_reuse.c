// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What an operation of any length reads may be changed once it is complete at the origin: after a local flush or when its
// request is. MPI-4.1 12.3, 12.5.4.
#include "csp_test_rma.h"

enum { MOST = 150000, PARTS = 3 };

enum how { PUT, ACC, GET_ACC, RPUT, RACC, RGET_ACC, HOWS };

static const char *const names[HOWS] = {"put", "acc", "get_acc", "rput", "racc", "rget_acc"};
static double given[MOST], got[MOST];

static double value(int rank, int part, int i)
{
    return rank * 1e7 + part * 1e6 + i;
}

static void issue(enum how how, int n, int to, MPI_Aint at, MPI_Win win)
{
    MPI_Request request = MPI_REQUEST_NULL;
    switch (how) {
    case PUT:
        MPI_Put(given, n, MPI_DOUBLE, to, at, n, MPI_DOUBLE, win);
        break;
    case ACC:
        MPI_Accumulate(given, n, MPI_DOUBLE, to, at, n, MPI_DOUBLE, MPI_SUM, win);
        break;
    case GET_ACC:
        MPI_Get_accumulate(given, n, MPI_DOUBLE, got, n, MPI_DOUBLE, to, at, n, MPI_DOUBLE, MPI_SUM,
                           win);
        break;
    case RPUT:
        MPI_Rput(given, n, MPI_DOUBLE, to, at, n, MPI_DOUBLE, win, &request);
        break;
    case RACC:
        MPI_Raccumulate(given, n, MPI_DOUBLE, to, at, n, MPI_DOUBLE, MPI_SUM, win, &request);
        break;
    default:
        MPI_Rget_accumulate(given, n, MPI_DOUBLE, got, n, MPI_DOUBLE, to, at, n, MPI_DOUBLE,
                            MPI_SUM, win, &request);
    }
    if (how < RPUT)
        MPI_Win_flush_local(to, win);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void one(enum how how, int n, double *base, MPI_Win win)
{
    int to = csp_test_size - 1 - csp_test_rank, results = how == GET_ACC || how == RGET_ACC;
    memset(base, 0, sizeof(double) * PARTS * (size_t)n);
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int part = 0; part < PARTS; part++) {
        for (int i = 0; i < n; i++)
            given[i] = value(csp_test_rank, part, i);
        csp_test_poison(got, sizeof(double) * (size_t)n);
        issue(how, n, to, (MPI_Aint)part * n, win);
        csp_test_poison(given, sizeof(double) * (size_t)n);
        for (int i = 0; i < n && results; i++)
            CHECK_MSG(got[i] == 0, "%s of %d: result %d is %g", names[how], n, i, got[i]);
    }
    MPI_Win_flush(to, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    for (int part = 0; part < PARTS; part++)
        for (int i = 0; i < n; i++)
            CHECK_MSG(base[part * n + i] == value(to, part, i), "%s of %d: element %d is %g",
                      names[how], n, part * n + i, base[part * n + i]);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(void)
{
    static const int lengths[] = {100, 16383, 16384, 16385, 32768, 65536, 65537, MOST};
    csp_test_init();
    MPI_Win win;
    double *base =
        csp_test_win_new(sizeof(double) * PARTS * MOST, sizeof(double), MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (int how = 0; how < HOWS; how++) {
        PHASE(names[how]);
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            one(how, lengths[i], base, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return csp_test_done();
}
