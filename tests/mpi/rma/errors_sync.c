// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Operations and synchronisation calls out of order (those where all libraries agree) are errors of
// class MPI_ERR_RMA_SYNC, not crashes, and the window still works afterwards.
#include "comms.h"

enum other { BY_LOCK, BY_LOCK_ALL, BY_START };

static void other_epoch(MPI_Win win, enum other other)
{
    MPI_Group all;
    switch (other) {
    case BY_LOCK:
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Win_unlock(0, win);
        break;
    case BY_LOCK_ALL:
        MPI_Win_lock_all(0, win);
        MPI_Win_unlock_all(win);
        break;
    case BY_START:
        MPI_Win_get_group(win, &all);
        MPI_Win_post(all, 0, win);
        MPI_Win_start(all, 0, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        MPI_Group_free(&all);
    }
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int value = 1, *base = csp_test_win_new(64, sizeof(int), MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    PHASE("operation without an epoch");
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    for (int other = BY_LOCK; other <= BY_START; other++) {
        PHASE("operation behind a fence and another epoch");
        MPI_Win_fence(0, win);
        other_epoch(win, (enum other)other);
        CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    }
    PHASE("unlock without lock");
    CHECK_CLASS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
    PHASE("flush without lock");
    CHECK_CLASS(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC);
    MPI_Barrier(MPI_COMM_WORLD);
    comm_use(win, MPI_COMM_WORLD, base, 4);
    MPI_Win_free(&win);
    return csp_test_done();
}
