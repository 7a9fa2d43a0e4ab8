// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_UNIVERSE_SIZE and what MPI_INFO_ENV says of the number of processes count the application
// alone, when they are given at all.
#include "csp_test.h"

int main(void)
{
    csp_test_init();
    int *value, flag = 0;
    char text[MPI_MAX_INFO_VAL + 1] = "";
    MPI_Info_get(MPI_INFO_ENV, "maxprocs", MPI_MAX_INFO_VAL, text, &flag);
    if (flag && csp_test_users())
        CHECK_INT(atoi(text), csp_test_users());
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
    if (flag)
        CHECK(*value >= csp_test_size);
    int nkeys = -1;
    MPI_Info_get_nkeys(MPI_INFO_ENV, &nkeys);
    CHECK(nkeys >= 0);
    for (int i = 0; i < nkeys; i++) {
        char key[MPI_MAX_INFO_KEY + 1];
        MPI_Info_get_nthkey(MPI_INFO_ENV, i, key);
        MPI_Info_get(MPI_INFO_ENV, key, MPI_MAX_INFO_VAL, text, &flag);
        CHECK(flag);
    }
    return csp_test_done();
}
