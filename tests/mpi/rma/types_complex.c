// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Accumulates on C complex, C bool and byte types.
#include <complex.h>
#include <stdbool.h>
#include "csp_test_rma.h"

static void complex_sum(void)
{
    double complex mine = csp_test_rank + 1 + 2 * I, *base;
    float complex mine_f = (float)(csp_test_rank + 1) - I, *base_f;
    MPI_Win win;
    base = csp_test_win_new(2 * sizeof mine, 1, MPI_COMM_WORLD, &win);
    base_f = (float complex *)(base + 1);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, 2 * sizeof mine, 0);
    csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    MPI_Accumulate(&mine, 1, MPI_C_DOUBLE_COMPLEX, 0, 0, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, win);
    MPI_Accumulate(&mine_f, 1, MPI_C_FLOAT_COMPLEX, 0, sizeof mine, 1, MPI_C_FLOAT_COMPLEX, MPI_SUM,
                   win);
    csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    double n = csp_test_rank == 0 ? csp_test_size : 0, sum = n * (n + 1) / 2;
    CHECK(creal(*base) == sum && cimag(*base) == 2 * n);
    CHECK(crealf(*base_f) == (float)sum && cimagf(*base_f) == (float)-n);
    MPI_Win_free(&win);
}

static void bool_and_byte(void)
{
    bool flag = csp_test_rank == csp_test_size - 1, *base;
    unsigned char bit = (unsigned char)(1 << csp_test_rank % 8), *bytes;
    MPI_Win win;
    base = csp_test_win_new(16, 1, MPI_COMM_WORLD, &win);
    bytes = (unsigned char *)base + 1;
    csp_test_win_fill(win, MPI_COMM_WORLD, base, 16, 0);
    csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    MPI_Accumulate(&flag, 1, MPI_C_BOOL, 0, 0, 1, MPI_C_BOOL, MPI_LOR, win);
    MPI_Accumulate(&bit, 1, MPI_BYTE, 0, 1, 1, MPI_BYTE, MPI_BOR, win);
    csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    int bits = csp_test_size >= 8 ? 255 : (1 << csp_test_size) - 1;
    CHECK_INT(*base, csp_test_rank == 0);
    CHECK_INT(*bytes, csp_test_rank == 0 ? bits : 0);
    MPI_Win_free(&win);
}

int main(void)
{
    csp_test_init();
    complex_sum();
    bool_and_byte();
    return csp_test_done();
}
