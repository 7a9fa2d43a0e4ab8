// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Two origins flood a target that is outside MPI, without a flush. The memory of the ghosts stays
// bounded, and what a third one asks of the same target meanwhile comes back soon: rank 1, of the target's
// node, or the one that the argument names.
#include "casper_ghosts.h"

enum {
    CHUNK = 32768,
    OPS = 2000,           // of each kind by each flooding origin: 128 MB
    GROWTH_KB = 64 << 10, // of a ghost
    BUSY_S = 2,           // at least as long outside MPI
    TARGET = 0,
    SINGLES = 20,
};

static const double SINGLE_LIMIT_S = 2; // for one operation: cores are few where tests run

// The most memory that a ghost ever had, in KB.
static long ghosts_peak_kb(const long *ghosts, int n)
{
    long most = 0;
    for (int i = 0; i < n; i++) {
        long kb = casper_ghosts_peak_kb(ghosts[i]);
        most = kb > most ? kb : most;
    }
    return most;
}

static void flood(MPI_Win win, MPI_Aint at)
{
    static char data[CHUNK];
    static int ones[CHUNK / sizeof(int)];
    for (size_t i = 0; i < CHUNK / sizeof(int); i++)
        ones[i] = 1;
    memset(data, csp_test_rank, sizeof data);
    for (int i = 0; i < OPS; i++) {
        MPI_Put(data, CHUNK, MPI_BYTE, TARGET, at, CHUNK, MPI_BYTE, win);
        MPI_Accumulate(ones, CHUNK / sizeof(int), MPI_INT, TARGET, at + CHUNK, CHUNK / sizeof(int),
                       MPI_INT, MPI_SUM, win);
    }
    MPI_Win_flush(TARGET, win);
}

static void single(MPI_Win win)
{
    int one = 1, old = -1;
    double longest = 0;
    for (int i = 0; i < SINGLES; i++) {
        casper_only_compute(0.02);
        double begin = MPI_Wtime();
        MPI_Fetch_and_op(&one, &old, MPI_INT, TARGET, 0, MPI_SUM, win);
        MPI_Win_flush(TARGET, win);
        double took = MPI_Wtime() - begin;
        longest = took > longest ? took : longest;
        CHECK_INT(old, i);
    }
    printf("the longest single operation took %.3f s\n", longest);
    CHECK_MSG(longest < SINGLE_LIMIT_S, "an operation took %.3f s beside a flood", longest);
}

static void check_memory(const int *base, int alone)
{
    CHECK_INT(base[0], SINGLES);
    for (int r = 1; r < csp_test_size; r++) {
        if (r == alone)
            continue;
        const char *mine = (const char *)base + (2 * r - 1) * CHUNK;
        int last;
        CHECK_INT(mine[CHUNK - 1], r);
        memcpy(&last, mine + 2 * CHUNK - sizeof last, sizeof last);
        CHECK_INT(last, OPS);
    }
}

int main(int argc, char **argv)
{
    csp_test_init();
    casper_only();
    csp_test_need(4);
    MPI_Win win;
    int alone = argc > 1 ? atoi(argv[1]) : 1;
    long ghosts[CASPER_GHOSTS_MOST];
    MPI_Aint bytes = (MPI_Aint)2 * CHUNK * csp_test_size;
    int *base = csp_test_win_new(bytes, 1, MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, bytes, 0);
    int n = casper_ghosts_find(ghosts);
    CHECK(n > 0);
    long before = ghosts_peak_kb(ghosts, n);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    PHASE("flood");
    if (csp_test_rank == TARGET)
        casper_only_compute(BUSY_S);
    else if (csp_test_rank == alone)
        single(win);
    else
        flood(win, (2 * csp_test_rank - 1) * (MPI_Aint)CHUNK);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    long after = ghosts_peak_kb(ghosts, n);
    if (csp_test_rank == 0)
        printf("peak of a ghost: %ld KB before, %ld KB after\n", before, after);
    CHECK_MSG(after - before < GROWTH_KB, "a ghost grew by %ld KB", after - before);
    csp_test_own(win, MPI_COMM_WORLD);
    if (csp_test_rank == TARGET)
        check_memory(base, alone);
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return csp_test_done();
}
