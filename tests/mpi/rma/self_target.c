// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Every operation on oneself in a window of everybody, in every kind of epoch, overlapping copies
// within one's own part included.
#include "csp_test_rma.h"

int main(void)
{
    csp_test_init();
    MPI_Win win;
    enum { N = 64 };
    MPI_Datatype column;
    int *base = csp_test_win_new(sizeof(int) * 4 * N, sizeof(int), MPI_COMM_WORLD, &win);
    int me = csp_test_rank, src[N], got[N], ones[N];
    MPI_Type_vector(N / 4, 2, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < N; i++) {
        src[i] = me * 1000 + i;
        ones[i] = 1;
    }
    FOR_EACH_EPOCH(kind)
    {
        csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(int) * 4 * N, 0);
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
        MPI_Put(src, N, MPI_INT, me, 0, N, MPI_INT, win);
        MPI_Put(src, N / 2, MPI_INT, me, 2 * N, 1, column, win);
        MPI_Accumulate(ones, N, MPI_INT, me, N, N, MPI_INT, MPI_SUM, win);
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
        MPI_Get(got, N, MPI_INT, me, 0, N, MPI_INT, win);
        MPI_Get(&base[3 * N], N, MPI_INT, me, N, N, MPI_INT, win); // into the window itself
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++) {
            CHECK_INT(base[i], src[i]);
            CHECK_INT(got[i], src[i]);
            CHECK_INT(base[N + i], 1);
            CHECK_INT(base[2 * N + i], i % 4 < 2 ? src[i / 4 * 2 + i % 4] : 0);
            CHECK_INT(base[3 * N + i], 1);
        }
    }
    MPI_Type_free(&column);
    MPI_Win_free(&win);
    return csp_test_done();
}
