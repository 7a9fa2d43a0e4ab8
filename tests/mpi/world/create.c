// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Comm_create and MPI_Comm_create_group of MPI_COMM_WORLD with groups of all kinds.
#include "csp_test.h"

static void check(MPI_Comm comm, int size, int rank)
{
    int got_size, got_rank, sum = -1;
    if (rank == MPI_UNDEFINED) {
        CHECK(comm == MPI_COMM_NULL);
        return;
    }
    MPI_Comm_size(comm, &got_size);
    MPI_Comm_rank(comm, &got_rank);
    CHECK_INT(got_size, size);
    CHECK_INT(got_rank, rank);
    MPI_Allreduce(&got_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK_INT(sum, size * (size - 1) / 2);
    MPI_Comm_free(&comm);
}

static void both(MPI_Group group)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int size, rank;
    MPI_Group_size(group, &size);
    MPI_Group_rank(group, &rank);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    check(comm, size, rank);
    comm = MPI_COMM_NULL;
    if (rank != MPI_UNDEFINED) // only the members call
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 99, &comm);
    check(comm, size, rank);
}

int main(void)
{
    csp_test_init();
    int n = csp_test_size, odd[1][3] = {{1, n - 1, 2}}, back[1][3] = {{n - 1, 0, -1}}, zero = 0;
    MPI_Group world, group;
    MPI_Comm comm;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    both(world);
    MPI_Group_range_incl(world, 1, back, &group);
    both(group);
    MPI_Group_free(&group);
    if (n > 1) {
        MPI_Group_range_incl(world, 1, odd, &group);
        both(group);
        MPI_Group_free(&group);
    }
    MPI_Group_incl(world, 1, &zero, &group);
    both(group);
    MPI_Group_free(&group);
    MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm);
    CHECK(comm == MPI_COMM_NULL);
    MPI_Group_free(&world);
    return csp_test_done();
}
