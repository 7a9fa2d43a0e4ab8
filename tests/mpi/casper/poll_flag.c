// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A rank waits for a flag in its own window with loads and MPI_Win_sync alone, calling nothing else
// of MPI, while others set it with a PUT and an ACC. Plain libraries need progress calls for that.
#include "casper_only.h"

static int wait_flag(MPI_Win win, volatile int *flag, int want)
{
    for (double end = MPI_Wtime() + 20; MPI_Wtime() < end; usleep(100)) {
        MPI_Win_sync(win);
        if (*flag == want)
            return 1;
    }
    return 0;
}

static void pass_on(MPI_Win win, int to, int round)
{
    int value = 7 + round, flag = round;
    MPI_Put(&value, 1, MPI_INT, to, 1, 1, MPI_INT, win);
    MPI_Win_flush(to, win);
    MPI_Accumulate(&flag, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_flush(to, win);
}

int main(void)
{
    csp_test_init();
    casper_only();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * 4, sizeof(int), MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(int) * 4, 0);
    int to = (csp_test_rank + 1) % csp_test_size;
    MPI_Win_lock_all(0, win);
    for (int round = 1; round <= 5; round++) {
        if (csp_test_rank == 0)
            pass_on(win, to, round);
        CHECK_MSG(wait_flag(win, base, round), "the flag of round %d never came", round);
        CHECK_INT(base[1], 7 + round);
        if (csp_test_rank != 0)
            pass_on(win, to, round);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return csp_test_done();
}
