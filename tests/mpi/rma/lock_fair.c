// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Nobody starves: all ranks take the same exclusive lock again and again for a second; each gets
// it, and shared and exclusive waiters both get their turn.
#include "csp_test_rma.h"

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * 16, sizeof(int), MPI_COMM_WORLD, &win), got = 0;
    int target = csp_test_size - 1, turns = 0, least = 0;
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(int) * 16, 0);
    for (double end = MPI_Wtime() + 1.0; MPI_Wtime() < end; turns++) {
        int type = csp_test_rank % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
        MPI_Win_lock(type, target, 0, win);
        MPI_Get(&got, 1, MPI_INT, target, 0, 1, MPI_INT, win);
        MPI_Win_unlock(target, win);
    }
    CHECK_INT(got, 0);
    MPI_Allreduce(&turns, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    CHECK_MSG(least >= 2, "one rank had only %d turns, this one %d", least, turns);
    MPI_Win_free(&win);
    return csp_test_done();
}
