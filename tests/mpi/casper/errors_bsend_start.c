// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A persistent buffered send without room is refused when it is started, by its communicator, and can be started later. MPI
// libraries end the job, whatever the communicator's handler.
#include "casper_only.h"

int main(void)
{
    static char room[100 + MPI_BSEND_OVERHEAD];
    int next, last, mine, got = -1, size;
    void *was;
    MPI_Comm comm;
    MPI_Request r;
    csp_test_init();
    casper_only();
    mine = csp_test_rank;
    next = (mine + 1) % csp_test_size;
    last = (mine + csp_test_size - 1) % csp_test_size;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Bsend_init(&mine, 1, MPI_INT, next, 3, comm, &r);
    for (int i = 0; i < 2; i++) {
        CHECK_CLASS(MPI_Start(&r), MPI_ERR_BUFFER);
        MPI_Buffer_attach(room, (int)sizeof room);
        CHECK_INT(MPI_Start(&r), MPI_SUCCESS);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Recv(&got, 1, MPI_INT, last, 3, comm, MPI_STATUS_IGNORE);
        CHECK_INT(got, last);
        MPI_Buffer_detach(&was, &size);
    }
    MPI_Request_free(&r);
    MPI_Comm_free(&comm);
    return csp_test_done();
}
