// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A process that waits by operations on itself, each with a flush, is in MPI all the time: its large message moves, and the
// operation that ends the wait comes, with each kind of flush.
#include "csp_test_rma.h"

enum { LARGE = 16 << 20, PATIENCE_S = 10 };

static int flag_of(MPI_Win win, int how)
{
    int none = 0, old = -1, me = csp_test_rank;
    MPI_Fetch_and_op(&none, &old, MPI_INT, me, 0, MPI_NO_OP, win);
    if (how == 0)
        MPI_Win_flush(me, win);
    else
        MPI_Win_flush_all(win);
    return old;
}

static void wait_for_flag(MPI_Win win, int how, char *data, int peer)
{
    MPI_Request request;
    double begin = MPI_Wtime();
    MPI_Isend(data, LARGE, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &request);
    while (flag_of(win, how) != how + 1 && MPI_Wtime() - begin < PATIENCE_S)
        continue;
    CHECK_INT(flag_of(win, how), how + 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void set_flag(MPI_Win win, int how, char *data)
{
    int value = how + 1;
    MPI_Recv(data, LARGE, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_flush(0, win);
}

int main(void)
{
    csp_test_init();
    int last = csp_test_size - 1;
    char *data = calloc(1, LARGE);
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int), sizeof(int), MPI_COMM_WORLD, &win);
    csp_test_own(win, MPI_COMM_WORLD);
    *base = 0;
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int how = 0; how < 2 && last > 0; how++) {
        PHASE(how ? "flush_all" : "flush");
        if (csp_test_rank == 0)
            wait_for_flag(win, how, data, last);
        else if (csp_test_rank == last)
            set_flag(win, how, data);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(data);
    return csp_test_done();
}
