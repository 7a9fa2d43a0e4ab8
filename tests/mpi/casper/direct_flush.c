// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// On shared cores, a flush of operations that went to a process itself, as redirection is off, is the MPI library's flush alone,
// however late that process is: a second operation to wait for quietly (rma_tool.c counts them) would be as late as the first.
#include "casper_only.h"
#include "one_core.h"

enum { ROUNDS = 60, LATE_US = 2000 };

// Round by round, both at once: a GET and its flush, while the other one is on its way to MPI.
static void get_each_other(MPI_Win win, int peer)
{
    for (int i = 0; i < ROUNDS; i++) {
        int got = -1;
        casper_only_compute((1 + (i + csp_test_rank) % 2) * LATE_US * 1e-6);
        MPI_Get(&got, 1, MPI_INT, peer, 0, 1, MPI_INT, win);
        MPI_Win_flush(peer, win);
        CHECK_INT(got, peer);
    }
}

int main(void)
{
    int *base;
    MPI_Win win;
    take_core(0); // fewer cores than processes
    csp_test_init();
    casper_only();
    if (casper_only_nodes() < 2)
        csp_test_skip("needs two nodes");
    MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    *base = csp_test_rank;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    get_each_other(win, (csp_test_rank + 1) % csp_test_size);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    CHECK_INT(casper_only_counted("rma_tool_rgets"), 0);
    return csp_test_done();
}
