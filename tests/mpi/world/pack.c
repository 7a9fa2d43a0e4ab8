// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Pack, MPI_Unpack and MPI_Pack_size with MPI_COMM_WORLD.
#include "csp_test.h"

int main(void)
{
    csp_test_init();
    char buf[256];
    int position = 0, i = csp_test_rank, bytes = -1, got_i = -1, next = (i + 1) % csp_test_size;
    double d = i + 0.5, got_d = -1;
    MPI_Pack_size(1, MPI_DOUBLE, MPI_COMM_WORLD, &bytes);
    CHECK(bytes >= 8 && bytes < 128);
    MPI_Pack(&i, 1, MPI_INT, buf, sizeof buf, &position, MPI_COMM_WORLD);
    MPI_Pack(&d, 1, MPI_DOUBLE, buf, sizeof buf, &position, MPI_COMM_WORLD);
    int from = (i + csp_test_size - 1) % csp_test_size, length = position;
    MPI_Sendrecv_replace(buf, length, MPI_PACKED, next, 0, from, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    position = 0;
    MPI_Unpack(buf, length, &position, &got_i, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(buf, length, &position, &got_d, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    CHECK_INT(got_i, from);
    CHECK(got_d == from + 0.5);
    return csp_test_done();
}
