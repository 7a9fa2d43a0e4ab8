// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The large-count functions of MPI-4: every operation as _c, and MPI_Win_allocate_c.
#include "csp_test_rma.h"

#if CSP_HAVE_MPI_Put_c
enum { N = 20 };

static void ops(MPI_Win win, int t)
{
    int src[N], res[N];
    MPI_Aint at = (MPI_Aint)csp_test_rank * N;
    for (int i = 0; i < N; i++)
        src[i] = csp_test_rank * 1000 + i;
    MPI_Put_c(src, N, MPI_INT, t, at, N, MPI_INT, win);
    MPI_Win_flush(t, win);
    MPI_Accumulate_c(src, N, MPI_INT, t, at, N, MPI_INT, MPI_SUM, win);
    csp_test_poison(res, sizeof res);
    MPI_Get_accumulate_c(src, N, MPI_INT, res, N, MPI_INT, t, at, N, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(t, win);
    for (int i = 0; i < N; i++)
        CHECK_INT(res[i], 2 * src[i]);
    csp_test_poison(res, sizeof res);
    MPI_Get_c(res, N, MPI_INT, t, at, N, MPI_INT, win);
    MPI_Win_flush(t, win);
    for (int i = 0; i < N; i++)
        CHECK_INT(res[i], 3 * src[i]);
}

static void request_ops(MPI_Win win, int t)
{
    int src[N], res[N];
    MPI_Aint at = (MPI_Aint)csp_test_rank * N;
    MPI_Request req;
    for (int i = 0; i < N; i++)
        src[i] = csp_test_rank * 1000 + i;
    MPI_Rput_c(src, N, MPI_INT, t, at, N, MPI_INT, win, &req);
    MPI_Wait(&req, MPI_STATUS_IGNORE);
    MPI_Win_flush(t, win);
    MPI_Raccumulate_c(src, N, MPI_INT, t, at, N, MPI_INT, MPI_SUM, win, &req);
    MPI_Wait(&req, MPI_STATUS_IGNORE);
    MPI_Rget_accumulate_c(src, N, MPI_INT, res, N, MPI_INT, t, at, N, MPI_INT, MPI_SUM, win, &req);
    MPI_Wait(&req, MPI_STATUS_IGNORE);
    MPI_Win_flush(t, win);
    for (int i = 0; i < N; i++)
        CHECK_INT(res[i], 2 * src[i]);
    csp_test_poison(res, sizeof res);
    MPI_Rget_c(res, N, MPI_INT, t, at, N, MPI_INT, win, &req);
    MPI_Wait(&req, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++)
        CHECK_INT(res[i], 3 * src[i]);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = NULL;
    MPI_Aint bytes = (MPI_Aint)sizeof(int) * N * csp_test_size;
    MPI_Win_allocate_c(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, bytes, CSP_TEST_POISON);
    MPI_Win_lock_all(0, win);
    for (int t = 0; t < csp_test_size; t++)
        ops(win, t);
    for (int t = 0; t < csp_test_size; t++)
        request_ops(win, t);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return csp_test_done();
}
#else
int main(void)
{
    csp_test_init();
    csp_test_skip("this MPI library has no MPI_Put_c");
}
#endif
