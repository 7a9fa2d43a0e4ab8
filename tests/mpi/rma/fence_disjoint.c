// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Two halves of the ranks run fence epochs on windows of their own at their own pace, while
// everybody has a third one; the halves share nodes, and so whatever serves them there.
#include "csp_test_rma.h"

static void half_work(MPI_Comm half, int color, MPI_Win win, int *base)
{
    int rank, size;
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &size);
    for (int e = 0; e < 10 + 20 * color; e++) {
        int value = color * 10000 + rank * 100 + e;
        MPI_Win_fence(0, win);
        MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        CHECK_INT(base[0], color * 10000 + (rank + size - 1) % size * 100 + e);
        if (color == 0 && e % 5 == 0)
            usleep(10000); // out of step with the others
    }
}

int main(void)
{
    csp_test_init();
    MPI_Comm half;
    MPI_Win own, common;
    const int one = 1;
    int color = csp_test_rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, color, csp_test_rank, &half);
    int *all = csp_test_win_new(sizeof(int) * 4, sizeof(int), MPI_COMM_WORLD, &common);
    int *base = csp_test_win_new(sizeof(int) * 4, sizeof(int), half, &own);
    csp_test_win_fill(common, MPI_COMM_WORLD, all, sizeof(int) * 4, 0);
    MPI_Win_fence(0, common);
    for (int t = 0; t < csp_test_size; t++)
        MPI_Accumulate(&one, 1, MPI_INT, t, 0, 1, MPI_INT, MPI_SUM, common);
    half_work(half, color, own, base);
    MPI_Win_fence(0, common);
    CHECK_INT(all[0], csp_test_size);
    MPI_Win_free(&own);
    MPI_Win_free(&common);
    MPI_Comm_free(&half);
    return csp_test_done();
}
