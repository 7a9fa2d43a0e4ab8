// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// lock and lock_all take turns on one window: exclusive locks of some ranks against lock_all of
// others.
#include "csp_test_rma.h"

enum { ROUNDS = 8 };

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * 16, sizeof(int), MPI_COMM_WORLD, &win), v[2];
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(int) * 16, 0);
    for (int r = 0; r < ROUNDS; r++) {
        int target = r % csp_test_size;
        if ((csp_test_rank + r) % 2) {
            MPI_Win_lock_all(0, win);
            MPI_Get(v, 2, MPI_INT, target, 0, 2, MPI_INT, win);
            MPI_Win_flush(target, win);
            CHECK_INT(v[0], v[1]); // only exclusive holders change them, one after the other
            MPI_Win_unlock_all(win);
        } else {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
            MPI_Get(v, 2, MPI_INT, target, 0, 2, MPI_INT, win);
            MPI_Win_flush(target, win);
            CHECK_INT(v[0], v[1]);
            v[0]++;
            v[1]++;
            MPI_Put(&v[0], 1, MPI_INT, target, 0, 1, MPI_INT, win);
            MPI_Win_flush(target, win);
            MPI_Put(&v[1], 1, MPI_INT, target, 1, 1, MPI_INT, win);
            MPI_Win_unlock(target, win);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    csp_test_own(win, MPI_COMM_WORLD);
    int sum = base[0], want = 0;
    CHECK_INT(base[0], base[1]);
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int r = 0; r < ROUNDS; r++)
        for (int rank = 0; rank < csp_test_size; rank++)
            want += (rank + r) % 2 == 0;
    CHECK_INT(sum, want);
    MPI_Win_free(&win);
    return csp_test_done();
}
