// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// With a PMPI tool (counting_tool.c) preloaded before or behind libcasper, the tool sees what the
// program does, once each, and the world without ghosts; the program works.
#include <dlfcn.h>
#include "casper_only.h"

typedef int seen_function(int *, int *, int *, int *, int *);

int main(void)
{
    csp_test_init();
    seen_function *seen = (seen_function *)dlsym(RTLD_DEFAULT, "counting_tool_seen");
    if (!seen)
        csp_test_skip("the tool is not preloaded");
    MPI_Win win;
    int to = (csp_test_rank + 1) % csp_test_size, got = -1, *base;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    for (int i = 0; i < 3; i++) {
        MPI_Win_fence(0, win);
        MPI_Put(&csp_test_rank, 1, MPI_INT, to, 0, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        CHECK_INT(base[0], from);
    }
    for (int r = 0; r < csp_test_size; r++) { // one send each, in turn
        if (r == csp_test_rank)
            MPI_Send(&csp_test_rank, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
        if (r == from)
            MPI_Recv(&got, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    CHECK_INT(got, from);
    MPI_Win_free(&win);
    int size, rank, puts, sends, windows;
    seen(&size, &rank, &puts, &sends, &windows);
    CHECK_INT(size, csp_test_size);
    CHECK_INT(rank, csp_test_rank);
    CHECK_INT(puts, 3);
    CHECK_INT(sends, 1);
    CHECK_INT(windows, 1);
    return csp_test_done();
}
