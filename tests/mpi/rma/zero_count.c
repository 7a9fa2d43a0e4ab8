// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Operations of zero elements, with null buffers where the standard permits, move nothing and hurt
// nothing; request-based ones complete.
#include "csp_test_rma.h"

static void ops(MPI_Win win, int t)
{
    MPI_Put(NULL, 0, MPI_INT, t, 0, 0, MPI_INT, win);
    MPI_Get(NULL, 0, MPI_INT, t, 0, 0, MPI_INT, win);
    MPI_Accumulate(NULL, 0, MPI_INT, t, 0, 0, MPI_INT, MPI_SUM, win);
    MPI_Get_accumulate(NULL, 0, MPI_INT, NULL, 0, MPI_INT, t, 0, 0, MPI_INT, MPI_SUM, win);
}

static void request_ops(MPI_Win win, int t)
{
    MPI_Request reqs[4];
    MPI_Rput(NULL, 0, MPI_INT, t, 0, 0, MPI_INT, win, &reqs[0]);
    MPI_Rget(NULL, 0, MPI_INT, t, 0, 0, MPI_INT, win, &reqs[1]);
    MPI_Raccumulate(NULL, 0, MPI_INT, t, 0, 0, MPI_INT, MPI_SUM, win, &reqs[2]);
    MPI_Rget_accumulate(NULL, 0, MPI_INT, NULL, 0, MPI_INT, t, 0, 0, MPI_INT, MPI_SUM, win,
                        &reqs[3]);
    MPI_Waitall(4, reqs, MPI_STATUSES_IGNORE);
}

// A datatype without elements.
static void empty_type(MPI_Win win, int t)
{
    MPI_Datatype type;
    char src = 1;
    MPI_Type_contiguous(0, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Put(&src, 3, type, t, 0, 5, type, win);
    MPI_Type_free(&type);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    char *base = csp_test_win_new(64, 1, MPI_COMM_WORLD, &win);
    FOR_EACH_EPOCH(kind)
    {
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
        for (int t = 0; t < csp_test_size; t++) {
            ops(win, t);
            empty_type(win, t);
            if (kind == CSP_TEST_LOCK || kind == CSP_TEST_LOCK_ALL)
                request_ops(win, t);
        }
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
        CHECK(csp_test_is_poison(base, 64));
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
