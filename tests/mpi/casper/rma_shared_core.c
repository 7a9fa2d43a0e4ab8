// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A ghost that works for another node, with pauses that are too short for it to go to sleep, lets the users of its own core in
// all the same: a process that spins is let go on until the system's next tick, for 4 ms, if it had less of the core before.
#include <limits.h>

#include "casper_ghosts.h"
#include "one_core.h"

enum { LOOK_US = 400000, PAUSE_US = 100, SLEEPS_LEAST = LOOK_US / 4000 };

// Sleeps of a process until now.
static long sleeps(long pid)
{
    char path[64], line[128];
    long n = -1;
    snprintf(path, sizeof path, "/proc/%ld/status", pid);
    FILE *f = fopen(path, "r");
    while (f && n < 0 && fgets(line, sizeof line, f))
        sscanf(line, "voluntary_ctxt_switches: %ld", &n);
    if (f)
        fclose(f);
    return n;
}

// @return how often the ghost that slept less did so, in LOOK_US.
static long fewest_sleeps(const long *ghosts, int n)
{
    long before[CASPER_GHOSTS_MOST], fewest = LONG_MAX;
    for (int i = 0; i < n; i++)
        before[i] = sleeps(ghosts[i]);
    usleep(LOOK_US);
    for (int i = 0; i < n; i++) {
        long slept = sleeps(ghosts[i]) - before[i];
        fewest = slept < fewest ? slept : fewest;
    }
    return fewest;
}

// Until the other process has seen enough, and says so here.
static long keep_awake(MPI_Win win, int peer, const volatile long *over)
{
    long one = 1, old, n = 0;
    for (; !*over; n++) {
        MPI_Fetch_and_op(&one, &old, MPI_LONG, peer, 1, MPI_SUM, win);
        MPI_Win_flush(peer, win);
        CHECK_INT(old, n);
        const double done = MPI_Wtime();
        while (MPI_Wtime() - done < PAUSE_US * 1e-6)
            ;
        MPI_Win_sync(win);
    }
    return n;
}

int main(void)
{
    long *base, yes = 1, fewest = SLEEPS_LEAST, ghosts[CASPER_GHOSTS_MOST];
    MPI_Win win;
    take_core(0);
    csp_test_init();
    casper_only();
    if (!take_core(1))
        csp_test_skip("needs two CPUs");
    take_core(1 - csp_test_rank);
    const int peer = 1 - csp_test_rank, n = casper_ghosts_find(ghosts);
    CHECK_INT(n, 2);
    MPI_Win_allocate(2 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    base[0] = base[1] = 0;
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (csp_test_rank == 0) {
        CHECK(keep_awake(win, peer, base) > SLEEPS_LEAST);
    } else {
        fewest = fewest_sleeps(ghosts, n);
        MPI_Put(&yes, 1, MPI_LONG, peer, 0, 1, MPI_LONG, win);
        MPI_Win_flush(peer, win);
        fprintf(stderr, "the ghosts slept %ld times at least\n", fewest);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    CHECK(fewest >= SLEEPS_LEAST);
    return csp_test_done();
}
