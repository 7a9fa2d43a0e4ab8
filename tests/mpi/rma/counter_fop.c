// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A shared counter at every rank in turn, drawn from by all with MPI_Fetch_and_op and flush: every
// number is drawn exactly once, and each rank sees its own numbers grow.
#include "csp_test_rma.h"

enum { DRAWS = 50 };

static void run(MPI_Win win, long *base, int target)
{
    const long one = 1, total = (long)DRAWS * csp_test_size;
    int *seen = calloc((size_t)total, sizeof(int));
    long last = -1, final = -1;
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(long), 0);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int i = 0; i < DRAWS; i++) {
        long got = -1;
        MPI_Fetch_and_op(&one, &got, MPI_LONG, target, 0, MPI_SUM, win);
        MPI_Win_flush(target, win);
        CHECK_MSG(got > last && got < total, "drew %ld after %ld", got, last);
        last = got;
        if (got >= 0 && got < total)
            seen[got]++;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Fetch_and_op(NULL, &final, MPI_LONG, target, 0, MPI_NO_OP, win);
    MPI_Win_unlock_all(win);
    CHECK_INT(final, total);
    MPI_Allreduce(MPI_IN_PLACE, seen, (int)total, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < total; i++)
        CHECK_INT(seen[i], 1);
    free(seen);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    long *base = csp_test_win_new(sizeof(long), sizeof(long), MPI_COMM_WORLD, &win);
    for (int target = 0; target < csp_test_size; target++)
        run(win, base, target);
    MPI_Win_free(&win);
    return csp_test_done();
}
