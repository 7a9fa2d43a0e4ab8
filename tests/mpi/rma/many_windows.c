// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// 200 windows at once, all used, freed in an order other than that of creation.
#include "csp_test_rma.h"

enum { WINS = 200 };

int main(void)
{
    csp_test_init();
    static MPI_Win wins[WINS];
    static int *bases[WINS];
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    for (int w = 0; w < WINS; w++) {
        MPI_Win_allocate(64 + 16 * (w % 5), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &bases[w],
                         &wins[w]);
        MPI_Win_lock_all(0, wins[w]);
        *bases[w] = -1;
        MPI_Win_sync(wins[w]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int w = 0; w < WINS; w++) {
        int value = csp_test_rank * 1000 + w;
        MPI_Put(&value, 1, MPI_INT, to, 0, 1, MPI_INT, wins[w]);
        MPI_Win_flush(to, wins[w]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int w = 0; w < WINS; w++) {
        MPI_Win_sync(wins[w]);
        CHECK_INT(*bases[w], from * 1000 + w);
        MPI_Win_unlock_all(wins[w]);
    }
    for (int w = 0; w < WINS; w++)
        MPI_Win_free(&wins[w * 7 % WINS]);
    for (int w = 0; w < WINS; w++)
        CHECK(wins[w] == MPI_WIN_NULL);
    return csp_test_done();
}
