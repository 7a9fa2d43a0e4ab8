// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Users that compute and operate on each other in turns, on cores that ghosts share: what tests/tools/test_quiet.py looks at, in the report,
// for how long the ghosts sleep.
#include "casper_only.h"
#include "one_core.h"

enum { PAUSE_US = 700, CORES = 2 };
static const double RUN_S = 2;

int main(void)
{
    long *base, one = 1, old, n = 0;
    MPI_Win win;
    const int enough = take_cores(0, CORES);
    csp_test_init();
    casper_only();
    if (!enough)
        csp_test_skip("needs two cores");
    const int peer = (csp_test_rank + 1) % csp_test_size;
    MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    *base = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (double end = MPI_Wtime() + RUN_S; MPI_Wtime() < end; n++) {
        casper_only_work(PAUSE_US * 1e-6);
        MPI_Fetch_and_op(&one, &old, MPI_LONG, peer, 0, MPI_SUM, win);
        MPI_Win_flush(peer, win);
        CHECK_INT(old, n);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return csp_test_done();
}
