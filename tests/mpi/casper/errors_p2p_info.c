// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Info key casper_p2p where it cannot be had: nothing changes, and the call says why.
#include "casper_p2p_info.h"

enum { TAG = 2 };

// From one to the other while a message of rank 0 lies at rank 1, which knows of it.
static void with_message(const char *now, const char *wanted)
{
    int data = 7;
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, now), MPI_SUCCESS);
    if (csp_test_rank == 0)
        MPI_Send(&data, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD);
    if (csp_test_rank == 1)
        MPI_Probe(0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    data = -1;
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, wanted), MPI_ERR_PENDING);
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, now), MPI_SUCCESS); // as it is
    if (csp_test_rank == 1) {
        MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(data, 7);
    }
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, wanted), MPI_SUCCESS);
}

// Receives that have no message; the later ones are the MPI library's.
static void with_receive(const char *now, int source)
{
    MPI_Request pending;
    char byte;
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, now), MPI_SUCCESS);
    MPI_Irecv(&byte, 1, MPI_CHAR, source, 1, MPI_COMM_WORLD, &pending);
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, "off"), MPI_ERR_PENDING);
    MPI_Cancel(&pending);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
}

int main(void)
{
    static const char *const ways[] = {"off", "on", "auto"};
    csp_test_init();
    casper_only();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, "on"), MPI_SUCCESS);

    PHASE("not the same for all");
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, csp_test_rank ? "on" : "off"), MPI_ERR_INFO_VALUE);
    casper_ring(MPI_COMM_WORLD, 1);

    PHASE("with a receive begun");
    with_receive("on", MPI_ANY_SOURCE);
    with_receive("on", 0);
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, "off"), MPI_SUCCESS);
    casper_ring(MPI_COMM_WORLD, 0);

    for (int i = 0; i < 9; i++)
        if (i / 3 != i % 3) {
            PHASE(ways[i / 3]);
            with_message(ways[i / 3], ways[i % 3]);
        }

    PHASE("a call that failed");
    MPI_Datatype type;
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, "on"), MPI_SUCCESS);
    MPI_Type_contiguous(1, MPI_INT, &type);
    CHECK_CLASS(MPI_Send(NULL, 1, type, 0, TAG, MPI_COMM_WORLD), MPI_ERR_TYPE); // not committed
    MPI_Type_free(&type);
    CHECK_INT(p2p_set_info(MPI_COMM_WORLD, "off"), MPI_SUCCESS);

    // The last one: what Casper does not know it cannot put right.
    PHASE("auto, with a receive begun");
    with_receive("auto", MPI_ANY_SOURCE);
    with_receive("auto", 0);
    return csp_test_done();
}
