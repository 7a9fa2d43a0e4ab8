// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The names of MPI_COMM_WORLD and MPI_COMM_SELF are the standard's; a new name stays, and belongs
// to the one communicator alone.
#include "csp_test.h"

int main(void)
{
    csp_test_init();
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = -1;
    MPI_Comm dup;
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    CHECK_STR(name, "MPI_COMM_WORLD");
    CHECK_INT(length, strlen("MPI_COMM_WORLD"));
    MPI_Comm_get_name(MPI_COMM_SELF, name, &length);
    CHECK_STR(name, "MPI_COMM_SELF");
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_get_name(dup, name, &length);
    CHECK(strcmp(name, "MPI_COMM_WORLD") != 0);
    MPI_Comm_set_name(MPI_COMM_WORLD, "everybody");
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    CHECK_STR(name, "everybody");
    MPI_Comm_set_name(dup, "copy");
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    CHECK_STR(name, "everybody");
    MPI_Comm_get_name(dup, name, &length);
    CHECK_STR(name, "copy");
    MPI_Comm_free(&dup);
    return csp_test_done();
}
