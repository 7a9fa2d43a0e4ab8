// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Info key casper_p2p: for one communicator from its making, and for one that is there already.
#include "casper_p2p_info.h"

int main(void)
{
    MPI_Comm dup;
    csp_test_init();
    casper_only();

    PHASE("made with it");
    MPI_Info on = p2p_info("on");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, on, &dup);
    MPI_Info_free(&on);
    casper_ring(dup, 1);
    casper_ring(MPI_COMM_WORLD, 0);
    MPI_Comm_free(&dup);

    PHASE("set later");
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, "on"), MPI_SUCCESS);
    casper_ring(MPI_COMM_WORLD, 1);
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, "off"), MPI_SUCCESS);
    casper_ring(MPI_COMM_WORLD, 0);

    PHASE("not inherited");
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, "on"), MPI_SUCCESS);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK_INT(p2p_set_info(dup, "on"), MPI_SUCCESS);
    casper_ring(dup, 1);
    casper_ring(MPI_COMM_WORLD, 1);
    MPI_Comm_free(&dup);
    return csp_test_done();
}
