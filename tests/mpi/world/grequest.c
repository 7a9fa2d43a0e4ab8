// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Generalized requests: their callbacks run as the program's own code and may use MPI_COMM_WORLD.
#include "csp_test.h"

static int queried, freed;

static int on_query(void *extra, MPI_Status *status)
{
    int size = -1;
    queried++;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_INT(size, csp_test_size);
    MPI_Status_set_elements(status, MPI_INT, *(int *)extra);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 3;
    status->MPI_TAG = 4;
    return MPI_SUCCESS;
}

static int on_free(void *extra)
{
    (void)extra;
    freed++;
    return MPI_SUCCESS;
}

static int on_cancel(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

int main(void)
{
    csp_test_init();
    MPI_Request req;
    MPI_Status status;
    int elements = 17, count = -1;
    MPI_Grequest_start(on_query, on_free, on_cancel, &elements, &req);
    MPI_Grequest_complete(req);
    MPI_Wait(&req, &status);
    MPI_Get_elements(&status, MPI_INT, &count);
    CHECK_INT(count, 17);
    CHECK_INT(status.MPI_TAG, 4);
    CHECK_INT(queried, 1);
    CHECK_INT(freed, 1);
    return csp_test_done();
}
