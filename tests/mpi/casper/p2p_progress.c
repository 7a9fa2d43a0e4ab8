// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Large messages arrive while both sides are outside MPI.
#include "casper_ring.h"

int main(void)
{
    csp_test_init();
    casper_only();
    for (int i = 0; i < 3; i++)
        casper_ring(MPI_COMM_WORLD, 1);
    return csp_test_done();
}
