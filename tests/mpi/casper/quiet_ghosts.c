// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Ghosts that share cores with computing users sleep, also after they had work and were wide awake.
// The runner looks for their shares of sleep and of a core in the report (CSP_REPORT): on a loaded machine a
// ghost spends much of its life between the two, waiting for a core.
#include <stdint.h>

#include "casper_only.h"

enum { OPS = 20, WORK_S = 3 };

int main(void)
{
    int64_t *base, got = -1, one = 1;
    MPI_Win win;

    csp_test_init();
    casper_only();
    MPI_Win_allocate(sizeof(*base), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    *base = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < OPS; i++) {
        MPI_Fetch_and_op(&one, &got, MPI_INT64_T, (csp_test_rank + 1) % csp_test_size, 0, MPI_SUM,
                         win);
        MPI_Win_flush_all(win);
    }
    CHECK_INT(got, OPS - 1);
    casper_only_work(WORK_S);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return csp_test_done();
}
