// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// An accumulate on memory of several ghosts stays in whole pieces: one of memory in one piece needs no derived datatypes
// (types_tool.c counts them), on any side, wherever it starts and whatever lies behind it.
#include "casper_only.h"

enum { COUNT = 4096 };

static int *base;
static MPI_Win win;

static void accumulate(int target, int first, int count)
{
    static int ones[COUNT], old[COUNT];
    for (int i = 0; i < count; i++)
        ones[i] = 1;
    MPI_Accumulate(ones, count, MPI_INT, target, first, count, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(target, win);
    MPI_Get_accumulate(ones, count, MPI_INT, old, count, MPI_INT, target, first, count, MPI_INT,
                       MPI_SUM, win);
    MPI_Win_flush(target, win);
    for (int i = 0; i < count; i++)
        CHECK_INT(old[i], first + i + 1);
}

static void look(int first, int count)
{
    for (int i = 0; i < COUNT; i++)
        CHECK_INT(base[i], i + (i >= first && i < first + count ? 2 : 0));
}

int main(void)
{
    static const int parts[][2] = {{0, COUNT}, {1, COUNT - 2}, {COUNT / 2 - 3, 40}};
    csp_test_init();
    casper_only();
    if (csp_test_size != 4)
        csp_test_skip("needs two nodes of two users");
    MPI_Win_allocate(COUNT * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                     &win);
    MPI_Win_lock_all(0, win);
    const long before = casper_only_counted("types_tool_count");
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        for (int i = 0; i < COUNT; i++)
            base[i] = i;
        MPI_Win_sync(win);
        MPI_Barrier(MPI_COMM_WORLD);
        accumulate((csp_test_rank + 2) % 4, parts[k][0], parts[k][1]);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_sync(win);
        look(parts[k][0], parts[k][1]);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK_INT(casper_only_counted("types_tool_count"), before);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return csp_test_done();
}
