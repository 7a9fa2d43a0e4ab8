// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A datatype may be freed as soon as the operation has been called; many short-lived types in one
// epoch, whose handles the library may reuse for other layouts.
#include "csp_test_rma.h"

enum { N = 40, SLOT = 64 };

static void put_one(MPI_Win win, int to, int k, const int *src)
{
    MPI_Datatype type;
    MPI_Type_vector(4, 1, 1 + k % 8, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Put(src, 4, MPI_INT, to, (MPI_Aint)k * SLOT, 1, type, win);
    MPI_Type_free(&type);
}

static void get_one(MPI_Win win, int to, int k, int *dst)
{
    MPI_Datatype type;
    MPI_Type_vector(4, 1, 1 + k % 8, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Get(dst, 1, type, to, (MPI_Aint)k * SLOT, 1, type, win);
    MPI_Type_free(&type);
}

int main(void)
{
    csp_test_init();
    static int src[N][4], got[N][SLOT];
    MPI_Win win;
    int *base = csp_test_win_new(sizeof got, sizeof(int), MPI_COMM_WORLD, &win);
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    for (int k = 0; k < N; k++)
        for (int i = 0; i < 4; i++)
            src[k][i] = csp_test_rank * 10000 + k * 10 + i;
    FOR_EACH_EPOCH(kind)
    {
        csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof got, CSP_TEST_POISON);
        csp_test_poison(got, sizeof got);
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
        for (int k = 0; k < N; k++)
            put_one(win, to, k, src[k]);
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
        for (int k = 0; k < N; k++)
            get_one(win, to, k, got[k]);
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
        for (int k = 0; k < N; k++)
            for (int i = 0; i < 4; i++) {
                CHECK_INT(base[k * SLOT + i * (1 + k % 8)], from * 10000 + k * 10 + i);
                CHECK_INT(got[k][i * (1 + k % 8)], src[k][i]);
            }
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
