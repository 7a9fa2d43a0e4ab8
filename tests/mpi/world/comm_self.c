// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_COMM_SELF and what is made of it are untouched: one rank, its own messages and collectives.
#include "csp_test.h"

int main(void)
{
    csp_test_init();
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_SELF, &dup);
    for (int k = 0; k < 2; k++) {
        MPI_Comm comm = k ? dup : MPI_COMM_SELF;
        int size, rank, got = -1, sum = -1, value = csp_test_rank + 40;
        MPI_Comm_size(comm, &size);
        MPI_Comm_rank(comm, &rank);
        CHECK(size == 1 && rank == 0);
        MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm,
                     MPI_STATUS_IGNORE);
        CHECK_INT(got, value);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
        CHECK_INT(sum, value);
    }
    MPI_Comm_free(&dup);
    MPI_Comm parent = MPI_COMM_SELF;
    MPI_Comm_get_parent(&parent);
    CHECK(parent == MPI_COMM_NULL);
    return csp_test_done();
}
