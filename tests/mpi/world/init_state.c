// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Initialized, MPI_Finalized, MPI_Query_thread and MPI_Is_thread_main before, between and
// after; what may be called before MPI_Init works there.
#include "csp_test.h"

int main(int argc, char **argv)
{
    int flag = -1, version, subversion, length, level = -1, was = argc;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    csp_test_limit();
    MPI_Initialized(&flag);
    CHECK_INT(flag, 0);
    MPI_Finalized(&flag);
    CHECK_INT(flag, 0);
    MPI_Get_version(&version, &subversion);
    CHECK(version >= 3);
    MPI_Get_library_version(text, &length);
    CHECK(length == (int)strlen(text) || length == (int)strlen(text) + 1); // Open MPI 5
    MPI_Init(&argc, &argv);
    CHECK_INT(argc, was);
    MPI_Comm_rank(MPI_COMM_WORLD, &csp_test_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &csp_test_size);
    MPI_Initialized(&flag);
    CHECK_INT(flag, 1);
    MPI_Finalized(&flag);
    CHECK_INT(flag, 0);
    MPI_Is_thread_main(&flag);
    CHECK_INT(flag, 1);
    MPI_Query_thread(&level);
    CHECK(level >= MPI_THREAD_SINGLE && level <= MPI_THREAD_MULTIPLE);
    int code = csp_test_done();
    MPI_Initialized(&flag);
    CHECK_INT(flag, 1);
    MPI_Finalized(&flag);
    CHECK_INT(flag, 1);
    return code || atomic_load(&csp_test_errors);
}
