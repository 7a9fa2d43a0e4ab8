// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Redirection by profile: phases in which all processes, or all but one, are in MPI, and operations on other nodes before
// and behind the fence at which all learn of it. How often operations went which way is for the report to
// say (tests/tools/test_auto.py); the sums are exact in any case.
#include "casper_only.h"

enum { BEFORE = 100, BEHIND = 10, LAST = 1, MOST = 64 };

static const double PHASE_S = 0.8; // many times CSP_PREDICT_INT
static MPI_Win win;
static long *base; // a counter, then a word for each origin
static int node_of[MOST];

static void operate(long times)
{
    static const long one = 1;
    static long got;
    for (int t = 0; t < csp_test_size; t++) {
        for (long i = 0; i < times && node_of[t] != node_of[csp_test_rank]; i++) {
            MPI_Accumulate(&one, 1, MPI_LONG, t, 0, 1, MPI_LONG, MPI_SUM, win);
            MPI_Get(&got, 1, MPI_LONG, t, 1 + csp_test_rank, 1, MPI_LONG, win);
        }
    }
}

static void all_in_mpi(void)
{
    int go_on = 1;
    double end = MPI_Wtime() + PHASE_S;
    while (go_on) {
        go_on = MPI_Wtime() < end;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

static void all_but_one_in_mpi(void)
{
    if (csp_test_rank == 0)
        casper_only_compute(PHASE_S);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void find_nodes(void)
{
    int mine = csp_test_node();
    MPI_Allgather(&mine, 1, MPI_INT, node_of, 1, MPI_INT, MPI_COMM_WORLD);
}

int main(void)
{
    csp_test_init();
    casper_only();
    find_nodes();
    base = csp_test_win_new((MOST + 1) * sizeof(long), sizeof(long), MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, (MOST + 1) * sizeof(long), 0);
    MPI_Win_fence(0, win);
    all_in_mpi();
    operate(BEFORE);
    MPI_Win_fence(0, win);
    operate(BEHIND);
    MPI_Win_fence(0, win);
    all_but_one_in_mpi();
    MPI_Win_fence(0, win);
    operate(LAST);
    MPI_Win_fence(0, win);
    int others = 0;
    for (int i = 0; i < csp_test_size; i++)
        others += node_of[i] != node_of[csp_test_rank];
    CHECK_INT(base[0], others * (BEFORE + BEHIND + LAST));
    MPI_Win_free(&win);
    return csp_test_done();
}
