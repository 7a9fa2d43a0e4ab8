// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Post and start with empty groups, alone and between other epochs.
#include "csp_test_rma.h"

enum { ROUNDS = 4 };

static void empty(MPI_Win win)
{
    MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
    MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * 4, sizeof(int), MPI_COMM_WORLD, &win);
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    PHASE("empty alone");
    empty(win);
    for (int r = 0; r < ROUNDS; r++) {
        int value = csp_test_rank * 100 + r;
        PHASE("pscw");
        csp_test_epoch_open(CSP_TEST_PSCW, win, MPI_COMM_WORLD);
        MPI_Put(&value, 1, MPI_INT, to, 0, 1, MPI_INT, win);
        csp_test_epoch_close(CSP_TEST_PSCW, win, MPI_COMM_WORLD);
        CHECK_INT(base[0], from * 100 + r);
        PHASE("empty");
        empty(win);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
