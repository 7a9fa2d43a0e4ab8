// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The program's arguments reach it unchanged (run with: one two-words --three=3).
#include "csp_test.h"

int main(int argc, char **argv)
{
    csp_test_limit();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &csp_test_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &csp_test_size);
    CHECK_INT(argc, 4);
    if (argc == 4) {
        CHECK_STR(argv[1], "one");
        CHECK_STR(argv[2], "two-words");
        CHECK_STR(argv[3], "--three=3");
        CHECK(argv[4] == NULL);
    }
    return csp_test_done();
}
