// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Windows on communicators of every origin: world, dup, split, reversed ranks, single-member,
// created from groups, cartesian, and split by shared memory; the communicator may be freed before
// the window.
#include "comms.h"

static void on(MPI_Comm *comm, const char *name, int tag)
{
    PHASE(name);
    if (*comm == MPI_COMM_NULL)
        return;
    comm_round(*comm, tag);
    MPI_Comm_free(comm);
}

int main(void)
{
    csp_test_init();
    MPI_Comm comm;
    MPI_Group world, group;
    int dims[2] = {0, 0}, periods[2] = {1, 1}, ranks[3] = {csp_test_size - 1, 0, 1};
    PHASE("world");
    comm_round(MPI_COMM_WORLD, 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    on(&comm, "dup", 2);
    MPI_Comm_split(MPI_COMM_WORLD, csp_test_rank % 2, csp_test_rank, &comm);
    on(&comm, "split odd and even", 3);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -csp_test_rank, &comm);
    on(&comm, "reversed", 4);
    MPI_Comm_split(MPI_COMM_WORLD, csp_test_rank ? 0 : MPI_UNDEFINED, 0, &comm);
    on(&comm, "all but one", 5);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    on(&comm, "shared memory", 6);
    MPI_Dims_create(csp_test_size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &comm);
    on(&comm, "cartesian", 7);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, csp_test_size >= 3 ? 3 : 1, ranks, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    on(&comm, "created from a group", 8);
    PHASE("self");
    comm_round(MPI_COMM_SELF, 10);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return csp_test_done();
}
