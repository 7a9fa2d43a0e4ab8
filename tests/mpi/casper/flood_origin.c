// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// One origin writes to processes of many nodes by the software route, without a flush, while no ghost gets a core: what of it is under
// way to all of them together, and copied, stays bounded.
#include <signal.h>

#include "casper_ghosts.h"

enum {
    CHUNK = 60000, // not so long that it leaves from the program's memory
    ROUNDS = 120,
    GROWTH_KB = 28 << 10,
    STOPPED_US = 1500000,
};

static void signal_all(const long *ghosts, int n, int which)
{
    for (int i = 0; i < n; i++)
        CHECK_INT(kill((pid_t)ghosts[i], which), 0);
}

static void flood(const char *data, MPI_Win win, int rounds)
{
    for (int i = 0; i < rounds; i++)
        for (int t = 1; t < csp_test_size; t++)
            MPI_Put(data, CHUNK, MPI_BYTE, t, 0, CHUNK, MPI_BYTE, win);
}

static void flood_measured(const char *data, MPI_Win win)
{
    long before = casper_ghosts_peak_kb(getpid());
    flood(data, win, ROUNDS);
    long after = casper_ghosts_peak_kb(getpid());
    printf("peak of the origin: %ld KB before, %ld KB after\n", before, after);
    CHECK_MSG(after - before < GROWTH_KB, "the origin grew by %ld KB", after - before);
}

int main(void)
{
    csp_test_init();
    casper_only();
    MPI_Win win;
    MPI_Aint bytes = csp_test_rank ? CHUNK : 0;
    char *data = csp_test_malloc(CHUNK), *base = csp_test_malloc(CHUNK);
    memset(data, 7, CHUNK);
    MPI_Win_create(base, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, bytes, 0);
    long ghosts[CASPER_GHOSTS_MOST];
    int n = casper_ghosts_find(ghosts);
    CHECK(n > 0);
    MPI_Win_lock_all(0, win);
    if (csp_test_rank == 0)
        flood(data, win, 1); // locks, and what the MPI library needs once for each
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (csp_test_rank == 1)
        signal_all(ghosts, n, SIGSTOP);
    MPI_Barrier(MPI_COMM_WORLD);
    if (csp_test_rank == 0)
        flood_measured(data, win);
    if (csp_test_rank == 1) {
        usleep(STOPPED_US);
        signal_all(ghosts, n, SIGCONT);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (MPI_Aint i = 0; i < bytes; i++)
        CHECK_INT(base[i], 7);
    MPI_Win_free(&win);
    free(base);
    free(data);
    return csp_test_done();
}
