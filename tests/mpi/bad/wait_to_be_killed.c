// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Works on windows until somebody ends it, or for as many seconds as the first argument says (default
// 0); says its process id, so that tests/tools/test_bad_input.py can tell users from ghosts. With a
// second argument "large" there is always much under way.
#include "bad_window.h"

enum { SMALL = 64, LARGE = 1 << 20, INTS = LARGE / sizeof(int) };

static int from[INTS], to[INTS];

static void work(const struct bad_window *w, int large)
{
    int one = 1, old = -1;
    MPI_Win_lock_all(0, w->win);
    for (int t = 0; t < csp_test_size; t++) {
        MPI_Fetch_and_op(&one, &old, MPI_INT, t, w->at[t], MPI_SUM, w->win);
        if (!large)
            continue;
        MPI_Put(from, INTS, MPI_INT, t, w->at[t], INTS, MPI_INT, w->win);
        MPI_Get_accumulate(from, INTS, MPI_INT, to, INTS, MPI_INT, t, w->at[t], INTS, MPI_INT,
                           MPI_SUM, w->win);
        MPI_Win_flush(t, w->win); // the next one's result goes to the same buffer
    }
    MPI_Win_unlock_all(w->win);
}

int main(int argc, char **argv)
{
    csp_test_init();
    int enough = 0, large = argc > 2 && strcmp(argv[2], "large") == 0;
    double end = MPI_Wtime() + (argc > 1 ? atof(argv[1]) : 0);
    struct bad_window w = bad_window_new(large ? LARGE : SMALL);
    printf("user %d is process %ld\n", csp_test_rank, (long)getpid());
    fflush(stdout);
    while (!enough) {
        work(&w, large);
        enough = MPI_Wtime() > end;
        MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (!large)
            usleep(1000);
    }
    bad_window_free(&w);
    return csp_test_done();
}
