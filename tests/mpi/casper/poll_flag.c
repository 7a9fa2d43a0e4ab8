// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A rank waits for a flag in its own window with loads and MPI_Win_sync alone, calling nothing else,
// while another sets it with a PUT or an ACC: the memory model is unified. Gives up after 20 seconds.
#include "csp_test_rma.h"

static int wait_flag(MPI_Win win, volatile int *flag, int want)
{
    for (double end = MPI_Wtime() + 20; MPI_Wtime() < end;) {
        MPI_Win_sync(win);
        if (*flag == want)
            return 1;
        int none;
        MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &none, MPI_STATUS_IGNORE);
    }
    return 0;
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * 4, sizeof(int), MPI_COMM_WORLD, &win), *model, have;
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &have);
    if (!have || *model != MPI_WIN_UNIFIED)
        csp_test_skip("the memory model is not unified");
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(int) * 4, 0);
    int to = (csp_test_rank + 1) % csp_test_size, value = 7, flag = 1;
    MPI_Win_lock_all(0, win);
    if (csp_test_rank == 0) {
        MPI_Put(&value, 1, MPI_INT, to, 1, 1, MPI_INT, win);
        MPI_Win_flush(to, win);
        MPI_Accumulate(&flag, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_REPLACE, win);
        MPI_Win_flush(to, win);
    }
    CHECK_MSG(wait_flag(win, base, 1), "the flag never came");
    CHECK_INT(base[1], 7);
    if (csp_test_rank != 0) { // pass it on round the ring
        MPI_Put(&value, 1, MPI_INT, to, 1, 1, MPI_INT, win);
        MPI_Win_flush(to, win);
        MPI_Accumulate(&flag, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_REPLACE, win);
        MPI_Win_flush(to, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return csp_test_done();
}
