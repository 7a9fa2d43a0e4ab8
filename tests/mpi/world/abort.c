// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Abort ends everybody with its code: rank 1 calls it on the communicator that the argument
// names (world, self, half) while the others sit in a barrier. The runner expects exit code 42.
#include "csp_test.h"

int main(int argc, char **argv)
{
    csp_test_init();
    MPI_Comm comm = MPI_COMM_WORLD;
    const char *which = argc > 1 ? argv[1] : "world";
    if (strcmp(which, "half") == 0)
        MPI_Comm_split(MPI_COMM_WORLD, csp_test_rank % 2, 0, &comm);
    if (strcmp(which, "self") == 0)
        comm = MPI_COMM_SELF;
    if (csp_test_rank == 1)
        MPI_Abort(comm, 42);
    PHASE("waiting for the end");
    MPI_Barrier(MPI_COMM_WORLD);
    return 0; // not reached: would be taken for success
}
