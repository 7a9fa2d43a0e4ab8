// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// With an argument: rank 0 has the standard input of the job, and this is its first line. tests/tools/test_processes.py gives
// it; without an argument nothing is read.
#include "csp_test.h"

int main(int argc, char **argv)
{
    csp_test_init();
    if (csp_test_rank == 0 && argc > 1) {
        char line[256] = "";
        PHASE("read");
        CHECK_INT(fgets(line, sizeof(line), stdin) != NULL, 1);
        line[strcspn(line, "\n")] = 0;
        CHECK_STR(line, argv[1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return csp_test_done();
}
