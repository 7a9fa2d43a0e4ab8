// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Info of MPI_COMM_WORLD: set, get, unknown keys; a fresh object each time.
#include "csp_test.h"

int main(void)
{
    csp_test_init();
    MPI_Info info, used = MPI_INFO_NULL;
    int nkeys = -1;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_allow_overtaking", "false");
    MPI_Info_set(info, "a_key_that_nobody_knows", "x");
    MPI_Comm_set_info(MPI_COMM_WORLD, info);
    MPI_Comm_get_info(MPI_COMM_WORLD, &used);
    CHECK(used != MPI_INFO_NULL && used != info);
    MPI_Info_get_nkeys(used, &nkeys);
    CHECK(nkeys >= 0);
    MPI_Info_free(&used);
    MPI_Info_free(&info);
    return csp_test_done();
}
