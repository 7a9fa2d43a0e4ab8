// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The memory that MPI_Win_allocate returns is aligned for any predefined type, whatever the sizes
// of the other parts; accumulates at the end of an odd part are right.
#include "csp_test_rma.h"

int main(void)
{
    csp_test_init();
    for (int round = 1; round < 40; round += 6) {
        MPI_Win win;
        const long double one = 1;
        MPI_Aint bytes = 16 * round + csp_test_rank * 16;
        char *base = csp_test_win_new(bytes, 16, MPI_COMM_WORLD, &win);
        CHECK_INT((uintptr_t)base % 16, 0);
        csp_test_win_fill(win, MPI_COMM_WORLD, base, bytes, 0);
        csp_test_epoch_open(CSP_TEST_FENCE, win, MPI_COMM_WORLD);
        for (int t = 0; t < csp_test_size; t++)
            MPI_Accumulate(&one, 1, MPI_LONG_DOUBLE, t, round + t - 1, 1, MPI_LONG_DOUBLE, MPI_SUM,
                           win);
        csp_test_epoch_close(CSP_TEST_FENCE, win, MPI_COMM_WORLD);
        long double sum;
        memcpy(&sum, base + bytes - 16, sizeof sum);
        CHECK(sum == csp_test_size);
        MPI_Win_free(&win);
    }
    return csp_test_done();
}
