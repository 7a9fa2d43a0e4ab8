// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Wrong arguments give errors of the standard's classes through MPI_ERRORS_RETURN, and the window
// still works afterwards.
#include "comms.h"

static void bad_arguments(MPI_Win win)
{
    int value = 1, got = 0, size = csp_test_size, pad[2] = {1, 2};
    MPI_Request req;
    PHASE("bad ranks");
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Get(&got, 1, MPI_INT, -77, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Accumulate(&value, 1, MPI_INT, size, 0, 1, MPI_INT, MPI_SUM, win),
                MPI_ERR_RANK);
    CHECK_CLASS(MPI_Fetch_and_op(&value, &got, MPI_INT, size, 0, MPI_SUM, win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Compare_and_swap(&value, &value, &got, MPI_INT, size, 0, win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Rput(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win, &req), MPI_ERR_RANK);
    PHASE("bad counts and types");
    CHECK_CLASS(MPI_Put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Get(&got, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
#ifdef MPICH_VERSION // others do not look, and follow the address
    CHECK_CLASS(MPI_Put(&value, 1, (MPI_Datatype)0, 0, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, (MPI_Datatype)0, win), MPI_ERR_TYPE);
#endif
    MPI_Datatype pair; // not committed, then used as soon as it is
    MPI_Type_vector(2, 1, 1, MPI_INT, &pair);
    for (int i = 0; i < 2; i++)
        CHECK_CLASS(MPI_Put(pad, 1, pair, csp_test_rank, 0, 1, pair, win), MPI_ERR_TYPE);
    MPI_Type_commit(&pair);
    CHECK_CLASS(MPI_Put(pad, 1, pair, csp_test_rank, 0, 1, pair, win), MPI_SUCCESS);
    MPI_Type_free(&pair);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(64, sizeof(int), MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(0, win);
    bad_arguments(win);
    MPI_Win_unlock_all(win);
    PHASE("bad locks");
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, csp_test_size, 0, win), MPI_ERR_RANK);
    CHECK(MPI_Win_lock(-4711, 0, 0, win) != MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    comm_use(win, MPI_COMM_WORLD, base, 3);
    MPI_Win_free(&win);
    return csp_test_done();
}
