// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Get_processor_name, MPI_Wtime, MPI_Wtick; ranks that share memory have the same processor
// name.
#include "csp_test.h"

int main(void)
{
    csp_test_init();
    char name[MPI_MAX_PROCESSOR_NAME] = "", first[MPI_MAX_PROCESSOR_NAME] = "";
    int length = -1;
    MPI_Comm node;
    MPI_Get_processor_name(name, &length);
    CHECK_INT(length, strlen(name));
    CHECK(length > 0);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    memcpy(first, name, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, node);
    CHECK_STR(name, first);
    double start = MPI_Wtime();
    usleep(20000);
    CHECK(MPI_Wtime() - start > 0.015);
    CHECK(MPI_Wtick() > 0 && MPI_Wtick() < 1);
    MPI_Comm_free(&node);
    return csp_test_done();
}
