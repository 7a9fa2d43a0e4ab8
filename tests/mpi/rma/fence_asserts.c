// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Fences with assertions: NOPRECEDE, NOSTORE, NOPUT, NOSUCCEED used truthfully, many epochs in a
// row, loads and stores between them.
#include "csp_test_rma.h"

enum { EPOCHS = 20 };

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * 4, sizeof(int), MPI_COMM_WORLD, &win), got[EPOCHS];
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    base[0] = base[1] = 0;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    for (int e = 0; e < EPOCHS; e++) {
        int value = 100 * csp_test_rank + e, one = 1;
        MPI_Put(&value, 1, MPI_INT, to, 0, 1, MPI_INT, win);
        MPI_Accumulate(&one, 1, MPI_INT, to, 1, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_fence(0, win); // data has come
        CHECK_INT(base[0], 100 * from + e);
        CHECK_INT(base[1], e + 1);
        base[2] = 1000 * csp_test_rank + e;
        MPI_Win_fence(MPI_MODE_NOPUT, win); // only gets follow
        got[e] = -1;
        MPI_Get(&got[e], 1, MPI_INT, to, 2, 1, MPI_INT, win);
        MPI_Win_fence(MPI_MODE_NOSTORE, win);
        CHECK_INT(got[e], 1000 * to + e);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE, win);
    CHECK_INT(base[1], EPOCHS);
    MPI_Win_free(&win);
    return csp_test_done();
}
