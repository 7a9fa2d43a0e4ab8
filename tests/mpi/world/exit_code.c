// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The exit code of the program: after MPI_Finalize all return the first argument, except rank 1,
// which returns the second. The runner expects what mpiexec makes of it.
#include "csp_test.h"

int main(int argc, char **argv)
{
    csp_test_init();
    int rank = csp_test_rank;
    if (csp_test_done() || argc < 3)
        return 99;
    return atoi(argv[rank == 1 ? 2 : 1]);
}
