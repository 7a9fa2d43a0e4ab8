// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_PROC_NULL as target: every operation is a no-op in every kind of epoch, request-based ones
// included.
#include "csp_test_rma.h"

static const int src[4] = {1, 2, 3, 4};
static int res[4];

static void ops(MPI_Win win)
{
    const int t = MPI_PROC_NULL;
    MPI_Put(src, 4, MPI_INT, t, 0, 4, MPI_INT, win);
    MPI_Get(res, 4, MPI_INT, t, 0, 4, MPI_INT, win);
    MPI_Accumulate(src, 4, MPI_INT, t, 0, 4, MPI_INT, MPI_SUM, win);
    MPI_Get_accumulate(src, 4, MPI_INT, res, 4, MPI_INT, t, 0, 4, MPI_INT, MPI_SUM, win);
    MPI_Fetch_and_op(src, res, MPI_INT, t, 0, MPI_SUM, win);
    MPI_Compare_and_swap(src, src + 1, res, MPI_INT, t, 0, win);
}

static void request_ops(MPI_Win win)
{
    const int t = MPI_PROC_NULL;
    MPI_Request reqs[4];
    MPI_Rput(src, 4, MPI_INT, t, 0, 4, MPI_INT, win, &reqs[0]);
    MPI_Rget(res, 4, MPI_INT, t, 0, 4, MPI_INT, win, &reqs[1]);
    MPI_Raccumulate(src, 4, MPI_INT, t, 0, 4, MPI_INT, MPI_SUM, win, &reqs[2]);
    MPI_Rget_accumulate(src, 4, MPI_INT, res, 4, MPI_INT, t, 0, 4, MPI_INT, MPI_SUM, win, &reqs[3]);
    MPI_Waitall(4, reqs, MPI_STATUSES_IGNORE);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    char *base = csp_test_win_new(64, 1, MPI_COMM_WORLD, &win);
    csp_test_poison(res, sizeof res);
    FOR_EACH_EPOCH(kind)
    {
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
        ops(win);
        if (kind == CSP_TEST_LOCK || kind == CSP_TEST_LOCK_ALL)
            request_ops(win);
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
        CHECK(csp_test_is_poison(base, 64));
        CHECK(csp_test_is_poison(res, sizeof res));
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
