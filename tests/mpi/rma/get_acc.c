// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Get_accumulate with SUM, REPLACE and NO_OP in every kind of epoch: result and target.
#include "csp_test_rma.h"

enum { N = 33 };

// Each rank has its own slot at each target, so that the old value is known.
static void own_slot(enum csp_test_epoch kind, MPI_Op op, MPI_Win win, double *base)
{
    MPI_Aint bytes = (MPI_Aint)sizeof(double) * N * csp_test_size;
    double src[N], *res = csp_test_malloc((size_t)bytes);
    csp_test_own(win, MPI_COMM_WORLD);
    for (int i = 0; i < N * csp_test_size; i++)
        base[i] = csp_test_rank * 100000 + i;
    csp_test_unown(win, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        src[i] = i + 0.5;
    csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
    for (int t = 0; t < csp_test_size; t++)
        MPI_Get_accumulate(src, N, MPI_DOUBLE, res + t * N, N, MPI_DOUBLE, t,
                           (MPI_Aint)csp_test_rank * N, N, MPI_DOUBLE, op, win);
    csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
    for (int t = 0; t < csp_test_size; t++)
        for (int i = 0; i < N; i++)
            CHECK_INT(res[t * N + i], t * 100000 + csp_test_rank * N + i);
    for (int i = 0; i < N * csp_test_size; i++) {
        double old = csp_test_rank * 100000 + i, add = i % N + 0.5;
        double want = op == MPI_NO_OP ? old : op == MPI_REPLACE ? add : old + add;
        CHECK_MSG(base[i] == want, "[%d] is %g, not %g", i, base[i], want);
    }
    free(res);
}

// With NO_OP the origin buffer is ignored: null, count 0.
static void no_origin(enum csp_test_epoch kind, MPI_Win win, double *base)
{
    double res[N];
    csp_test_poison(res, sizeof res);
    csp_test_own(win, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        base[i] = csp_test_rank + i;
    csp_test_unown(win, MPI_COMM_WORLD);
    csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
    int t = (csp_test_rank + 1) % csp_test_size;
    MPI_Get_accumulate(NULL, 0, MPI_DOUBLE, res, N, MPI_DOUBLE, t, 0, N, MPI_DOUBLE, MPI_NO_OP,
                       win);
    csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        CHECK_INT(res[i], t + i);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    MPI_Aint bytes = (MPI_Aint)sizeof(double) * N * csp_test_size;
    double *base = csp_test_win_new(bytes, sizeof(double), MPI_COMM_WORLD, &win);
    FOR_EACH_EPOCH(kind)
    {
        own_slot(kind, MPI_SUM, win, base);
        own_slot(kind, MPI_REPLACE, win, base);
        own_slot(kind, MPI_NO_OP, win, base);
        no_origin(kind, win, base);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
