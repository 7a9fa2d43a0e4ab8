// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Origin and result buffers that lie in window memory themselves: data moves from one window to
// another and from one part to the next.
#include "csp_test_rma.h"

enum { N = 128 };

int main(void)
{
    csp_test_init();
    MPI_Win a, b;
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    int *base_a = csp_test_win_new(sizeof(int) * 2 * N, sizeof(int), MPI_COMM_WORLD, &a);
    int *base_b = csp_test_win_new(sizeof(int) * 2 * N, sizeof(int), MPI_COMM_WORLD, &b);
    FOR_EACH_EPOCH(kind)
    {
        csp_test_own(a, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++)
            base_a[i] = csp_test_rank * 1000 + i + (int)kind;
        csp_test_unown(a, MPI_COMM_WORLD);
        csp_test_epoch_open(kind, b, MPI_COMM_WORLD);
        MPI_Put(base_a, N, MPI_INT, to, 0, N, MPI_INT, b);
        csp_test_epoch_close(kind, b, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++)
            CHECK_INT(base_b[i], from * 1000 + i + (int)kind);
        csp_test_epoch_open(kind, b, MPI_COMM_WORLD);
        MPI_Get(base_a + N, N, MPI_INT, to, 0, N, MPI_INT, b);
        csp_test_epoch_close(kind, b, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++)
            CHECK_INT(base_a[N + i], base_a[i]);
        csp_test_epoch_open(kind, a, MPI_COMM_WORLD);
        MPI_Get(base_a + N, N, MPI_INT, to, 0, N, MPI_INT, a); // within one window
        csp_test_epoch_close(kind, a, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++)
            CHECK_INT(base_a[N + i], to * 1000 + i + (int)kind);
    }
    MPI_Win_free(&a);
    MPI_Win_free(&b);
    return csp_test_done();
}
