// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Comm_split of the world: colors, keys, ties, MPI_UNDEFINED, splits of splits.
#include "csp_test.h"

static void check(MPI_Comm *comm, int size, int rank)
{
    int got_size = -1, got_rank = -1, sum = -1;
    MPI_Comm_size(*comm, &got_size);
    MPI_Comm_rank(*comm, &got_rank);
    CHECK_INT(got_size, size);
    CHECK_INT(got_rank, rank);
    MPI_Allreduce(&got_rank, &sum, 1, MPI_INT, MPI_SUM, *comm);
    CHECK_INT(sum, size * (size - 1) / 2);
    MPI_Comm_free(comm);
}

int main(void)
{
    csp_test_init();
    MPI_Comm comm, inner;
    int n = csp_test_size, me = csp_test_rank;
    MPI_Comm_split(MPI_COMM_WORLD, 7, 0, &comm); // all keys equal: order of ranks
    check(&comm, n, me);
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &comm);
    MPI_Comm_split(comm, 0, -me, &inner);
    check(&inner, (n + 1 - me % 2) / 2, (n + 1 - me % 2) / 2 - 1 - me / 2);
    check(&comm, (n + 1 - me % 2) / 2, me / 2);
    MPI_Comm_split(MPI_COMM_WORLD, me ? MPI_UNDEFINED : 1, 0, &comm);
    CHECK((comm == MPI_COMM_NULL) == (me != 0));
    if (comm != MPI_COMM_NULL)
        check(&comm, 1, 0);
    MPI_Comm_split(MPI_COMM_WORLD, me, 0, &comm);
    check(&comm, 1, 0);
    return csp_test_done();
}
