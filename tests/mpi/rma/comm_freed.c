// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The communicator may be freed before the window that was made on it.
#include "comms.h"

int main(void)
{
    csp_test_init();
    MPI_Comm dup, check;
    MPI_Win win;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_dup(MPI_COMM_WORLD, &check);
    int *base = csp_test_win_new(sizeof(int) * COMMS_N, sizeof(int), dup, &win);
    MPI_Comm_free(&dup);
    comm_use(win, check, base, 9);
    MPI_Win_free(&win);
    MPI_Comm_free(&check);
    return csp_test_done();
}
