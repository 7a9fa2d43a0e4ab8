// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// With redirection off it is the target that a flush waits for, and the watchdog names it: there is no ghost in this.
#include <fcntl.h>
#include "casper_only.h"

static const double AWAY_S = 3;
static const char *const AWAY = "away"; // a file that says: the target is not in MPI any more

int main(void)
{
    csp_test_init();
    casper_only();
    csp_test_need(2);
    MPI_Win win;
    long one = 1;
    int last = csp_test_size - 1;
    long *base = csp_test_win_new(sizeof(long), sizeof(long), MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(long), 0);
    if (csp_test_rank == last)
        unlink(AWAY);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (csp_test_rank == last) {
        CHECK(close(open(AWAY, O_CREAT | O_WRONLY, 0600)) == 0);
        casper_only_compute(AWAY_S);
        unlink(AWAY);
    } else if (csp_test_rank == 0) {
        while (access(AWAY, F_OK) != 0)
            usleep(1000);
        MPI_Put(&one, 1, MPI_LONG, last, 0, 1, MPI_LONG, win);
        MPI_Win_flush(last, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return csp_test_done();
}
