// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Several threads may call MPI. Small PUTs went to a target itself and had to be confirmed by it; those that go to its ghost
// from then on, while the target computes, do not wait for it.
#include "casper_counter.h"

enum { PUTS = 8, TARGET = 1 };

static const double LIMIT_S = 10, COMPUTES_S = 2, SOON_S = 0.05;

static void put(MPI_Win win)
{
    static const long one = 1;
    for (int i = 0; i < PUTS; i++)
        MPI_Put(&one, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
    MPI_Win_flush(TARGET, win);
}

// Until both ways were taken; the last round is by the ghost.
static void use_both_ways(MPI_Win win)
{
    unsigned long long target = casper_by_target(), ghost;
    double end = MPI_Wtime() + LIMIT_S;
    do {
        ghost = casper_by_ghost();
        put(win);
    } while ((casper_by_target() == target || casper_by_ghost() != ghost + PUTS) &&
             MPI_Wtime() < end);
    CHECK_INT(casper_by_target() > target, 1);
    CHECK_INT(casper_by_ghost() - ghost, PUTS);
}

// @return the least time of a round by the ghost alone.
static double round_by_ghost(MPI_Win win)
{
    double least = LIMIT_S, end = MPI_Wtime() + COMPUTES_S / 2;
    while (MPI_Wtime() < end) {
        unsigned long long ghost = casper_by_ghost();
        double begin = MPI_Wtime();
        put(win);
        double took = MPI_Wtime() - begin;
        if (casper_by_ghost() == ghost + PUTS && took < least)
            least = took;
    }
    return least;
}

int main(void)
{
    int level, go = 1;
    MPI_Win win;
    csp_test_init_thread(MPI_THREAD_MULTIPLE, &level);
    if (level != MPI_THREAD_MULTIPLE)
        csp_test_skip("the library has no MPI_THREAD_MULTIPLE");
    casper_only();
    casper_only_auto();
    long *base = csp_test_win_new(sizeof(long), sizeof(long), MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(long), 0);
    MPI_Win_lock_all(0, win);
    if (csp_test_rank == 0) {
        use_both_ways(win);
        MPI_Send(&go, 1, MPI_INT, TARGET, 0, MPI_COMM_WORLD);
        double least = round_by_ghost(win);
        CHECK_MSG(least < SOON_S, "a round by the ghost took %.3f s", least);
    } else {
        MPI_Recv(&go, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        casper_only_compute(COMPUTES_S);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return csp_test_done();
}
