// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Over Open MPI 5 a PUT of data in short runs, on either side, goes to the target's ghost as a message of Casper's; in long runs,
// or in one, and over Open MPI 4, by the MPI library. The data come all the same.
#include "casper_only.h"

enum { RUNS = 8, LONG = 4096, ROW = 2 * LONG, INTS = RUNS * ROW };

static int origin[INTS];

static int slow_library(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int len;
    MPI_Get_library_version(version, &len);
    return strncmp(version, "Open MPI v5", 11) == 0;
}

static MPI_Datatype rows(int ints, int apart)
{
    MPI_Datatype type;
    MPI_Type_vector(RUNS, ints, apart, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

// To the other node: `ints` of each run, at the origin and at the target so far apart. @return PUTs of the library's.
static long put(MPI_Win win, const int *base, int ints, int from_apart, int to_apart)
{
    int peer = (csp_test_rank + csp_test_size / 2) % csp_test_size;
    MPI_Datatype from = rows(ints, from_apart), to = rows(ints, to_apart);
    for (int i = 0; i < INTS; i++)
        origin[i] = csp_test_rank * INTS + i;
    long before = casper_only_counted("rma_tool_puts");
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, peer, 0, win);
    MPI_Put(origin, 1, from, peer, 0, 1, to, win);
    MPI_Win_unlock(peer, win);
    long calls = casper_only_counted("rma_tool_puts") - before;
    MPI_Barrier(MPI_COMM_WORLD);
    csp_test_own(win, MPI_COMM_WORLD);
    for (int run = 0; run < RUNS; run++)
        for (int i = 0; i < ints; i++)
            CHECK_INT(base[run * to_apart + i], peer * INTS + run * from_apart + i);
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD); // the next one writes there, too
    MPI_Type_free(&from);
    MPI_Type_free(&to);
    return calls;
}

int main(void)
{
    MPI_Win win;
    csp_test_init();
    casper_only();
    if (casper_only_nodes() < 2)
        csp_test_skip("needs two nodes");
    csp_test_need_windows();
    int *base = csp_test_win_new(INTS * sizeof(int), sizeof(int), MPI_COMM_WORLD, &win);
    int by_library = !slow_library();
    CHECK_INT(put(win, base, 2, 4, 4), by_library);
    CHECK_INT(put(win, base, 2, 2, 4), by_library); // gaps at the target alone
    CHECK_INT(put(win, base, 2, 4, 2), by_library); // at the origin
    CHECK_INT(put(win, base, 2, 2, 2), 1);
    CHECK_INT(put(win, base, LONG, ROW, ROW), 1);
    MPI_Win_free(&win);
    return csp_test_done();
}
