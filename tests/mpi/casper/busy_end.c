// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Ghosts have most of their work in the last milliseconds before MPI_Finalize: LOCKS locks of each process at one of another
// node. The report counts it (tests/tools/test_report.py).
#include "casper_only.h"

enum { LOCKS = 20 };

int main(void)
{
    csp_test_init();
    casper_only();
    csp_test_need(2);
    MPI_Win win;
    csp_test_win_new(sizeof(int), sizeof(int), MPI_COMM_WORLD, &win);
    int other = (csp_test_rank + csp_test_size / 2) % csp_test_size;
    for (int i = 0; i < LOCKS; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win);
        MPI_Win_unlock(other, win);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
