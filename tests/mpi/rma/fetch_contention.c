// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// All ranks hammer single elements of each rank with FOP, CAS and GET_ACC of 8-byte types at once;
// sums of doubles and integers are exact.
#include "csp_test_rma.h"

enum { ROUNDS = 40 };

int main(void)
{
    csp_test_init();
    MPI_Win win;
    struct cell {
        double d;
        int64_t i, j, max;
    } *base = csp_test_win_new(sizeof *base, 1, MPI_COMM_WORLD, &win);
    const double half = 0.5;
    const int64_t one = 1;
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof *base, 0);
    MPI_Win_lock_all(0, win);
    for (int r = 0; r < ROUNDS; r++) {
        int t = (r + csp_test_rank) % csp_test_size;
        double old_d = -1;
        int64_t old_i = -1, old_j = -1, old_max = -1, mine = r * 100 + csp_test_rank;
        MPI_Fetch_and_op(&half, &old_d, MPI_DOUBLE, t, 0, MPI_SUM, win);
        MPI_Fetch_and_op(&one, &old_i, MPI_INT64_T, t, 8, MPI_SUM, win);
        MPI_Get_accumulate(&one, 1, MPI_INT64_T, &old_j, 1, MPI_INT64_T, t, 16, 1, MPI_INT64_T,
                           MPI_SUM, win);
        MPI_Fetch_and_op(&mine, &old_max, MPI_INT64_T, t, 24, MPI_MAX, win);
        if (r % 7 == 0)
            MPI_Win_flush_all(win);
        else
            MPI_Win_flush(t, win);
        CHECK(old_d >= 0 && old_i >= 0 && old_j >= 0 && old_max >= 0);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    csp_test_own(win, MPI_COMM_WORLD);
    CHECK(base->d == 0.5 * (double)base->i);
    CHECK_INT(base->i, base->j);
    CHECK_INT(base->i, ROUNDS);
    CHECK(base->max >= (ROUNDS - csp_test_size) * 100);
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return csp_test_done();
}
