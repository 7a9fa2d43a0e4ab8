// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Works on windows until somebody ends it, or for as many seconds as the argument says (default 0);
// says its process id, so that tests/tools/test_bad_input.py can tell users from ghosts.
#include "csp_test_rma.h"

int main(int argc, char **argv)
{
    csp_test_init();
    MPI_Win win;
    int one = 1, old = -1, enough = 0;
    double end = MPI_Wtime() + (argc > 1 ? atof(argv[1]) : 0);
    csp_test_win_new(64, sizeof(int), MPI_COMM_WORLD, &win);
    printf("user %d is process %ld\n", csp_test_rank, (long)getpid());
    fflush(stdout);
    while (!enough) {
        MPI_Win_lock_all(0, win);
        for (int t = 0; t < csp_test_size; t++)
            MPI_Fetch_and_op(&one, &old, MPI_INT, t, 0, MPI_SUM, win);
        MPI_Win_unlock_all(win);
        enough = MPI_Wtime() > end;
        MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
        usleep(1000);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
