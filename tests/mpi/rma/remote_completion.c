// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// When MPI_Win_flush returns, the data is at the target: the news of it travels to the target by
// way of a third rank, and must not overtake the data, even if the target was not in MPI meanwhile.
// PUT and ACC, 4 bytes to 8 KB: also around the limits of what networks send at once.
#include "csp_test_rma.h"

enum { ROUNDS = 240, SIZES = 12, N = 1 << (SIZES - 1) };

static void origin(MPI_Win win, int target, int via, int round)
{
    int src[N];
    for (int i = 0; i < N; i++)
        src[i] = round * N + i;
    int n = 1 << round % SIZES;
    if (round % 3 == 2)
        MPI_Accumulate(src, n, MPI_INT, target, 0, n, MPI_INT, MPI_REPLACE, win);
    else
        MPI_Put(src, n, MPI_INT, target, 0, n, MPI_INT, win);
    MPI_Win_flush(target, win);
    MPI_Send(NULL, 0, MPI_INT, via, 1, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, target, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void target_side(MPI_Win win, const int *base, int origin_rank, int via, int round)
{
    usleep(round % 2 ? 2000 : 0);
    MPI_Recv(NULL, 0, MPI_INT, via, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_sync(win);
    for (int i = 0; i < 1 << round % SIZES; i++)
        CHECK_INT(((const volatile int *)base)[i], round * N + i);
    MPI_Send(NULL, 0, MPI_INT, origin_rank, 3, MPI_COMM_WORLD);
}

int main(void)
{
    csp_test_init();
    csp_test_need(3);
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * N, sizeof(int), MPI_COMM_WORLD, &win);
    int target = csp_test_size - 1, via = csp_test_size - 2;
    MPI_Win_lock_all(0, win);
    for (int r = 0; r < ROUNDS; r++) {
        if (csp_test_rank == 0)
            origin(win, target, via, r);
        if (csp_test_rank == via) {
            MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(NULL, 0, MPI_INT, target, 2, MPI_COMM_WORLD);
        }
        if (csp_test_rank == target)
            target_side(win, base, 0, via, r);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return csp_test_done();
}
