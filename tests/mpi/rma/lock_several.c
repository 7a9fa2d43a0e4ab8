// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// One rank holds locks on several targets and on several windows at the same time and frees them in
// another order; NOCHECK where the program itself excludes others.
#include "csp_test_rma.h"

enum { WINS = 3 };

int main(void)
{
    csp_test_init();
    MPI_Win wins[WINS];
    int *base[WINS], me = csp_test_rank, n = csp_test_size;
    for (int w = 0; w < WINS; w++)
        base[w] = csp_test_win_new(sizeof(int) * n, sizeof(int), MPI_COMM_WORLD, &wins[w]);
    for (int w = 0; w < WINS; w++)
        for (int t = 0; t < n; t++)
            MPI_Win_lock(MPI_LOCK_SHARED, t, w == 1 ? MPI_MODE_NOCHECK : 0, wins[w]);
    int value[WINS];
    for (int w = 0; w < WINS; w++)
        value[w] = 100 * w + me;
    for (int t = n - 1; t >= 0; t--)
        for (int w = 0; w < WINS; w++)
            MPI_Put(&value[w], 1, MPI_INT, t, me, 1, MPI_INT, wins[w]);
    for (int t = 0; t < n; t++)
        for (int w = WINS - 1; w >= 0; w--)
            MPI_Win_unlock((t + me) % n, wins[w]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int w = 0; w < WINS; w++) {
        csp_test_own(wins[w], MPI_COMM_WORLD);
        for (int i = 0; i < n; i++)
            CHECK_INT(base[w][i], 100 * w + i);
        csp_test_unown(wins[w], MPI_COMM_WORLD);
    }
    for (int turn = 0; turn < n; turn++) {
        if (turn == me) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, (me + 1) % n, MPI_MODE_NOCHECK, wins[0]);
            MPI_Put(&me, 1, MPI_INT, (me + 1) % n, 0, 1, MPI_INT, wins[0]);
            MPI_Win_unlock((me + 1) % n, wins[0]);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    csp_test_own(wins[0], MPI_COMM_WORLD);
    CHECK_INT(base[0][0], (me + n - 1) % n);
    csp_test_unown(wins[0], MPI_COMM_WORLD);
    for (int w = 0; w < WINS; w++)
        MPI_Win_free(&wins[w]);
    return csp_test_done();
}
