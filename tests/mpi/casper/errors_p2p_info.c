// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Info key casper_p2p where it cannot be had: nothing changes, and the call says why.
#include "casper_p2p_info.h"

int main(void)
{
    MPI_Request pending;
    char byte;
    csp_test_init();
    casper_only();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, "on"), MPI_SUCCESS);

    PHASE("not the same for all");
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, csp_test_rank ? "on" : "off"), MPI_ERR_INFO_VALUE);
    casper_ring(MPI_COMM_WORLD, 1);

    PHASE("with a receive begun");
    MPI_Irecv(&byte, 1, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &pending);
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, "off"), MPI_ERR_PENDING);
    MPI_Cancel(&pending);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, "off"), MPI_SUCCESS);
    casper_ring(MPI_COMM_WORLD, 0);
    return csp_test_done();
}
