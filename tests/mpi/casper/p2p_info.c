// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Info key casper_p2p: for one communicator from its making, and for one that is there already.
#include "casper_ring.h"

static MPI_Info info_of(const char *value)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "casper_p2p", value);
    return info;
}

static int set_info(MPI_Comm comm, const char *value)
{
    MPI_Info info = info_of(value);
    int rc = MPI_Comm_set_info(comm, info), class;
    MPI_Info_free(&info);
    MPI_Error_class(rc, &class);
    return class;
}

int main(void)
{
    MPI_Comm dup;
    MPI_Request pending;
    char byte;
    csp_test_init();
    casper_only();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);

    PHASE("made with it");
    MPI_Info on = info_of("on");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, on, &dup);
    MPI_Info_free(&on);
    casper_ring(dup, 1);
    casper_ring(MPI_COMM_WORLD, 0);
    MPI_Comm_free(&dup);

    PHASE("set later");
    CHECK_INT(set_info(MPI_COMM_WORLD, "on"), MPI_SUCCESS);
    casper_ring(MPI_COMM_WORLD, 1);
    CHECK_INT(set_info(MPI_COMM_WORLD, csp_test_rank ? "on" : "off"), MPI_ERR_INFO_VALUE);
    casper_ring(MPI_COMM_WORLD, 1);
    MPI_Irecv(&byte, 1, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &pending);
    CHECK_INT(set_info(MPI_COMM_WORLD, "off"), MPI_ERR_PENDING);
    MPI_Cancel(&pending);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    CHECK_INT(set_info(MPI_COMM_WORLD, "off"), MPI_SUCCESS);
    casper_ring(MPI_COMM_WORLD, 0);

    PHASE("not inherited");
    CHECK_INT(set_info(MPI_COMM_WORLD, "on"), MPI_SUCCESS);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK_INT(set_info(dup, "on"), MPI_SUCCESS);
    casper_ring(dup, 1);
    casper_ring(MPI_COMM_WORLD, 1);
    MPI_Comm_free(&dup);
    return csp_test_done();
}
