// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// For the few tests that know of Casper: whether ghosts are there, and a "computing" target.
#ifndef CSP_TEST_CASPER_ONLY_H
#define CSP_TEST_CASPER_ONLY_H

#include <dlfcn.h>

#include "csp_test_rma.h"

/** Ghosts per node that the runner asked for; 0 when it is the plain library. */
static inline int casper_only_ghosts(void)
{
    const char *ghosts = getenv("CASPER_TEST_GHOSTS");
    return ghosts ? atoi(ghosts) : 0;
}

/** Nodes that the runner asked for; 1 if it did not say. */
static inline int casper_only_nodes(void)
{
    const char *nodes = getenv("CASPER_TEST_NODES");
    return nodes ? atoi(nodes) : 1;
}

/** Skips when there are no ghosts. */
static inline void casper_only(void)
{
    if (casper_only_ghosts() < 1)
        csp_test_skip("needs ghosts");
}

/** Skips where CSP_ASYNC_CONFIG=auto changes nothing: on one node, and with Open MPI 4 (src/runtime/quirks.h). */
static inline void casper_only_auto(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int len;
    MPI_Get_library_version(version, &len);
    if (casper_only_nodes() < 2)
        csp_test_skip("needs two nodes");
    if (strncmp(version, "Open MPI v4", 11) == 0)
        csp_test_skip("auto is on with this library");
}

/** What a preloaded tool has counted in a variable of its own; the test fails without the tool. */
static inline long casper_only_counted(const char *variable)
{
    const long *count = dlsym(RTLD_DEFAULT, variable);
    if (!count)
        FAIL("no tool has %s", variable);
    return count ? *count : 0;
}

/** Accumulates of allocated windows over several nodes are said to take the software route. */
static inline int casper_only_soft_acc(void)
{
    const char *route = getenv("CSP_ACC_ROUTE");
    return route && strcmp(route, "software") == 0;
}

/** The target is outside MPI for so long; asleep, for cores are few where tests run. */
static inline void casper_only_compute(double seconds)
{
    for (double end = MPI_Wtime() + seconds, left; (left = end - MPI_Wtime()) > 0;)
        usleep((useconds_t)(left * 1e6) + 1);
}

/** The target is outside MPI for so long, and keeps a core. */
static inline void casper_only_work(double seconds)
{
    enum { SLICE = 1000 };
    volatile double x = 0.5;
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
        for (int i = 0; i < SLICE; i++)
            x = 3.9 * x * (1.0 - x);
}

/** Two nodes of two users, and a window with 64 bytes of each, all 0; else skips. */
static inline int *casper_only_two_by_two(MPI_Win *win)
{
    casper_only();
    if (csp_test_size != 4)
        csp_test_skip("needs two nodes of two users");
    int *base = csp_test_win_new(64, sizeof(int), MPI_COMM_WORLD, win);
    csp_test_win_fill(*win, MPI_COMM_WORLD, base, 64, 0);
    return base;
}

#endif
