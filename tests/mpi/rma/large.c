// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// 4 MB per rank: PUT, GET, ACC and GET_ACC of everything, and strided access across it.
#include "csp_test_rma.h"

enum { N = 1 << 19, STRIDED = 1 << 12 };

static double value(int rank, int i)
{
    return rank * 1e6 + i;
}

static int count_wrong(const double *got, int rank, double factor)
{
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += got[i] != factor * value(rank, i);
    return wrong;
}

static void strided(MPI_Win win, double *base, double *src)
{
    MPI_Datatype type;
    int to = (csp_test_rank + 1) % csp_test_size, wrong = 0;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    MPI_Type_vector(STRIDED, 2, N / STRIDED, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(double) * N, 0);
    csp_test_epoch_open(CSP_TEST_FENCE, win, MPI_COMM_WORLD);
    MPI_Put(src, 1, type, to, 0, 1, type, win);
    csp_test_epoch_close(CSP_TEST_FENCE, win, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        wrong += base[i] != (i % (N / STRIDED) < 2 ? value(from, i) : 0);
    CHECK_INT(wrong, 0);
    MPI_Type_free(&type);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    double *base = csp_test_win_new(sizeof(double) * N, sizeof(double), MPI_COMM_WORLD, &win);
    double *src = csp_test_malloc(sizeof(double) * N), *got = csp_test_malloc(sizeof(double) * N);
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    for (int i = 0; i < N; i++)
        src[i] = value(csp_test_rank, i);
    csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    MPI_Put(src, N, MPI_DOUBLE, to, 0, N, MPI_DOUBLE, win);
    MPI_Win_flush(to, win);
    MPI_Accumulate(src, N, MPI_DOUBLE, to, 0, N, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_flush(to, win);
    MPI_Get(got, N, MPI_DOUBLE, to, 0, N, MPI_DOUBLE, win);
    MPI_Win_flush(to, win);
    CHECK_INT(count_wrong(got, csp_test_rank, 2), 0);
    csp_test_poison(got, sizeof(double) * N);
    MPI_Get_accumulate(src, N, MPI_DOUBLE, got, N, MPI_DOUBLE, to, 0, N, MPI_DOUBLE, MPI_SUM, win);
    csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    CHECK_INT(count_wrong(got, csp_test_rank, 2), 0);
    CHECK_INT(count_wrong(base, from, 3), 0);
    strided(win, base, src);
    MPI_Win_free(&win);
    free(src);
    free(got);
    return csp_test_done();
}
