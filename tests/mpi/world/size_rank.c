// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_COMM_WORLD has exactly the application's ranks, 0 to n - 1, each once; its size is what the
// runner asked for; it is no intercommunicator; MPI_COMM_SELF has one rank.
#include "csp_test.h"

int main(void)
{
    csp_test_init();
    int inter = 1, size, rank, *seen = calloc((size_t)csp_test_size, sizeof(int));
    if (csp_test_users())
        CHECK_INT(csp_test_size, csp_test_users());
    CHECK(csp_test_rank >= 0 && csp_test_rank < csp_test_size);
    MPI_Allgather(&csp_test_rank, 1, MPI_INT, seen, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < csp_test_size; i++)
        CHECK_INT(seen[i], i);
    MPI_Comm_test_inter(MPI_COMM_WORLD, &inter);
    CHECK(!inter);
    MPI_Comm_size(MPI_COMM_SELF, &size);
    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    CHECK(size == 1 && rank == 0);
    free(seen);
    return csp_test_done();
}
