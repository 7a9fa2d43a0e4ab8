// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Comm_split_type: the nodes add up to the world, there are as many as the runner made, ranks
// are ordered by key; the other types of split show nobody else either.
#include "csp_test.h"

static void check_partition(MPI_Comm comm, const char *what)
{
    int size, rank, leader, sum = 0, leaders = 0;
    PHASE(what);
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    CHECK(size >= 1 && size <= csp_test_size);
    leader = rank == 0 ? size : 0;
    MPI_Allreduce(&leader, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_INT(sum, csp_test_size);
    leader = rank == 0;
    MPI_Allreduce(&leader, &leaders, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const char *nodes = getenv("CASPER_TEST_NODES");
    if (nodes)
        CHECK_INT(leaders, atoi(nodes));
}

static void check_order(MPI_Comm comm, int reversed)
{
    int size, all[256], me = csp_test_rank;
    MPI_Comm_size(comm, &size);
    MPI_Allgather(&me, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (int i = 1; i < size; i++)
        CHECK(reversed ? all[i] < all[i - 1] : all[i] > all[i - 1]);
}

int main(void)
{
    csp_test_init();
    MPI_Comm comm, again;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    check_partition(comm, "shared");
    check_order(comm, 0);
    int size, again_size;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &again);
    MPI_Comm_size(comm, &size);
    MPI_Comm_size(again, &again_size);
    CHECK_INT(again_size, size);
    MPI_Comm_free(&again);
    MPI_Comm_free(&comm);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -csp_test_rank, MPI_INFO_NULL, &comm);
    check_partition(comm, "shared, reversed");
    check_order(comm, 1);
    MPI_Comm_free(&comm);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &comm);
    CHECK(comm == MPI_COMM_NULL);
#ifdef MPI_COMM_TYPE_HW_UNGUIDED
    PHASE("unguided");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &comm);
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_size(comm, &size);
        CHECK(size < csp_test_size); // a proper subset, as the standard says
        MPI_Comm_free(&comm);
    }
#endif
    return csp_test_done();
}
