// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A published name is found by other ranks with its port, and by nobody after it is unpublished; an
// unknown name is MPI_ERR_NAME.
#include "csp_test.h"

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    char name[64], found[MPI_MAX_PORT_NAME] = "", port[MPI_MAX_PORT_NAME] = "tag#0$some-port$";
    int pid = (int)getpid();
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "casper-test-%d", pid);
    PHASE("publish");
    if (csp_test_rank == 0)
        CHECK_CLASS(MPI_Publish_name(name, MPI_INFO_NULL, port), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    PHASE("look up");
    CHECK_CLASS(MPI_Lookup_name(name, MPI_INFO_NULL, found), MPI_SUCCESS);
    CHECK_STR(found, port);
    MPI_Barrier(MPI_COMM_WORLD);
    PHASE("unpublish");
    if (csp_test_rank == 0)
        CHECK_CLASS(MPI_Unpublish_name(name, MPI_INFO_NULL, port), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    PHASE("look up what is not there");
    if (csp_test_rank == 1)
        CHECK_CLASS(MPI_Lookup_name(name, MPI_INFO_NULL, found), MPI_ERR_NAME);
    return csp_test_done();
}
