// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Predefined attributes of a window: BASE, SIZE, DISP_UNIT, CREATE_FLAVOR, MODEL.
#include "csp_test_rma.h"

int main(void)
{
    csp_test_init();
    MPI_Win win;
    void *base = NULL, *value;
    int flag;
    MPI_Aint bytes = 160 * (csp_test_rank + 1);
    MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    for (int again = 0; again < 2; again++) {
        MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag);
        CHECK(flag && value == base);
        MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag);
        CHECK(flag && *(MPI_Aint *)value == bytes);
        MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag);
        CHECK(flag && *(int *)value == 8);
        MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag);
        CHECK(flag && *(int *)value == MPI_WIN_FLAVOR_ALLOCATE);
        MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag);
        CHECK(flag && (*(int *)value == MPI_WIN_UNIFIED || *(int *)value == MPI_WIN_SEPARATE));
        MPI_Win_fence(0, win); // and again after it was used
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
