// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Elements whose places no 64 bits can number are an error of ghosts' messages, not garbage.
#include "casper_only.h"

int main(void)
{
    int x[4] = {0};
    MPI_Datatype far;
    MPI_Request r = MPI_REQUEST_NULL;
    csp_test_init();
    casper_only();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)1 << 61, &far);
    MPI_Type_commit(&far);
    PHASE("too many");
    CHECK_CLASS(MPI_Send(x, 9, far, csp_test_rank, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Irecv(x, 9, far, csp_test_rank, 0, MPI_COMM_WORLD, &r), MPI_ERR_COUNT);
    PHASE("one");
    CHECK_INT(MPI_Irecv(x, 1, far, csp_test_rank, 0, MPI_COMM_WORLD, &r), MPI_SUCCESS);
    CHECK_INT(MPI_Send(x, 1, far, csp_test_rank, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Type_free(&far);
    return csp_test_done();
}
