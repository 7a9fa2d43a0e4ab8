// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Ghosts of a program without windows are hardly there; with its first window they are back at once. With an
// argument there is no window at all.
#include <stdint.h>

#include "casper_only.h"

enum { IDLE_S = 4, ANSWER_S = 10 };
static const double OUTSIDE_S = 0.2;

int main(int argc, char **argv)
{
    int64_t *base, got = -1, one = 1;
    MPI_Win win;

    csp_test_init();
    casper_only();
    casper_only_compute(IDLE_S);
    (void)argv;
    if (argc > 1)
        return csp_test_done();
    MPI_Win_allocate(sizeof(*base), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    *base = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (csp_test_rank == 0) {
        double begin = MPI_Wtime();
        MPI_Win_lock_all(0, win);
        MPI_Fetch_and_op(&one, &got, MPI_INT64_T, csp_test_size - 1, 0, MPI_SUM, win);
        MPI_Win_flush_all(win);
        MPI_Win_unlock_all(win);
        CHECK_INT(got, 0);
        CHECK(MPI_Wtime() - begin < ANSWER_S);
    } else {
        casper_only_compute(OUTSIDE_S);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
