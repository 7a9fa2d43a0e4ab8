// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Windows are created, used and freed 500 times over, in sizes that change; memory does not run
// out.
#include "csp_test_rma.h"

enum { ROUNDS = 500 };

int main(void)
{
    csp_test_init();
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    for (int r = 0; r < ROUNDS; r++) {
        MPI_Win win;
        int *base, value = csp_test_rank + r, n = 4 << r % 12;
        MPI_Win_allocate((MPI_Aint)n * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL,
                         MPI_COMM_WORLD, &base, &win);
        base[n - 1] = -1;
        MPI_Win_fence(0, win);
        MPI_Put(&value, 1, MPI_INT, to, n - 1, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        CHECK_INT(base[n - 1], from + r);
        MPI_Win_free(&win);
    }
    return csp_test_done();
}
