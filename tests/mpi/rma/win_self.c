// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A window on MPI_COMM_SELF: all operations on oneself, also while others do the same, without
// others.
#include "csp_test_rma.h"

int main(void)
{
    csp_test_init();
    MPI_Win win;
    MPI_Request req;
    int *base = csp_test_win_new(64, sizeof(int), MPI_COMM_SELF, &win), v = 5, got = -1, one = 1;
    if (csp_test_rank == 0)
        usleep(100000); // nobody waits for anybody
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    CHECK_INT(base[0], 5);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
    CHECK_INT(got, 6);
    MPI_Compare_and_swap(&v, &(int){7}, &got, MPI_INT, 0, 0, win);
    MPI_Win_flush(0, win);
    CHECK_INT(got, 7);
    MPI_Rget(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &req);
    MPI_Wait(&req, MPI_STATUS_IGNORE);
    CHECK_INT(got, 5);
    MPI_Win_unlock(0, win);
    FOR_EACH_EPOCH(kind)
    {
        v = 10 + (int)kind;
        csp_test_epoch_open(kind, win, MPI_COMM_SELF);
        MPI_Put(&v, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
        csp_test_epoch_close(kind, win, MPI_COMM_SELF);
        CHECK_INT(base[1], v);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
