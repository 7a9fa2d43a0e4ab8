// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Rank 1 unmaps its part of a window, and the last rank, on the other node, works on it under the
// window's default error handler. Without arguments nobody unmaps anything. Run by
// tests/tools/test_bad_input.py.
#include "bad_window.h"

enum { BYTES = 1 << 20, INTS = BYTES / sizeof(int) };

int main(int argc, char **argv)
{
    static int data[INTS];
    csp_test_init();
    struct bad_window w = bad_window_new(BYTES);
    (void)argv;
    if (csp_test_rank == 1 && argc > 1)
        munmap(w.mine, BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    if (csp_test_rank == csp_test_size - 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w.win);
        MPI_Accumulate(data, INTS, MPI_INT, 1, w.at[1], INTS, MPI_INT, MPI_SUM, w.win);
        MPI_Win_unlock(1, w.win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    bad_window_free(&w);
    return csp_test_done();
}
