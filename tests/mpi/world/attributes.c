// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Predefined attributes of MPI_COMM_WORLD: present, sensible, and free of other ranks than the
// application's.
#include "csp_test.h"

int main(void)
{
    csp_test_init();
    int *value, flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    CHECK(flag);
    if (flag) {
        CHECK(*value >= 32767);
        int got = -1, n = csp_test_size, tag = *value; // the largest tag works
        MPI_Sendrecv(&csp_test_rank, 1, MPI_INT, (csp_test_rank + 1) % n, tag, &got, 1, MPI_INT,
                     (csp_test_rank + n - 1) % n, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(got, (csp_test_rank + n - 1) % n);
    }
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
    CHECK(!flag || *value >= csp_test_size);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag);
    CHECK(!flag || *value == MPI_PROC_NULL || (*value >= 0 && *value < csp_test_size));
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag);
    CHECK(!flag || *value == MPI_ANY_SOURCE || *value == MPI_PROC_NULL ||
          (*value >= 0 && *value < csp_test_size));
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag);
    CHECK(!flag || *value == 0 || *value == 1);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag);
    CHECK(!flag || *value == 0);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);
    CHECK(flag && *value >= MPI_ERR_LASTCODE);
    int class, again = *value;
    MPI_Add_error_class(&class);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);
    CHECK(flag && *value >= class && *value > again);
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_FT, &value, &flag);
    CHECK(flag);
#endif
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_get_attr(dup, MPI_TAG_UB, &value, &flag);
    CHECK(flag && *value >= 32767);
    MPI_Comm_free(&dup);
    return csp_test_done();
}
