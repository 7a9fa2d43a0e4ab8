// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Small operations by all ghosts of the other node, then one flush of them all: right in any network. In one with a delay it takes
// as long as the flush of one ghost; both times are printed (tests/tools/test_flush_many.py).
#include "casper_only.h"

enum { ITEMS = 4, ROUNDS = 5 };

static int by_put, others[64], nothers;

// Several to each, since the first message to a ghost is answered without being asked.
static void issue(MPI_Win win, int target, int value)
{
    for (int i = 0; i < ITEMS; i++)
        if (by_put)
            MPI_Put(&value, 1, MPI_INT, target, i, 1, MPI_INT, win);
        else
            MPI_Accumulate(&value, 1, MPI_INT, target, i, 1, MPI_INT, MPI_REPLACE, win);
}

// The shortest of some.
static double flush_s(MPI_Win win, int ntargets, int round)
{
    double shortest = 1e9;
    for (int r = 0; r < ROUNDS; r++) {
        double begin = MPI_Wtime();
        for (int t = 0; t < ntargets; t++)
            issue(win, others[t], round + r);
        MPI_Win_flush_all(win);
        double took = MPI_Wtime() - begin;
        shortest = took < shortest ? took : shortest;
    }
    return shortest;
}

static void check(const char *what, MPI_Win win, const int *mem)
{
    MPI_Win_lock_all(0, win);
    if (csp_test_rank == 0) {
        flush_s(win, nothers, 1000); // connections
        double one = flush_s(win, 1, 0), all = flush_s(win, nothers, 100);
        printf("%s %.6f %.6f\n", what, one, all);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    csp_test_own(win, MPI_COMM_WORLD);
    for (int t = 0; t < nothers; t++)
        for (int i = 0; others[t] == csp_test_rank && i < ITEMS; i++)
            CHECK_INT(mem[i], 100 + ROUNDS - 1);
    csp_test_unown(win, MPI_COMM_WORLD);
}

int main(void)
{
    csp_test_init();
    casper_only();
    csp_test_need(4);
    for (int r = csp_test_size / 2; r < csp_test_size; r++) // one for each ghost
        others[nothers++] = r;
    for (by_put = 0; by_put < 2; by_put++) {
        MPI_Win win;
        int *mem = csp_test_win_new(ITEMS * sizeof(int), sizeof(int), MPI_COMM_WORLD, &win);
        check(by_put ? "allocated PUT" : "allocated ACC", win, mem);
        MPI_Win_free(&win);
        static int own[ITEMS];
        MPI_Win_create(own, sizeof(own), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        check(by_put ? "created PUT" : "created ACC", win, own);
        MPI_Win_free(&win);
    }
    return csp_test_done();
}
