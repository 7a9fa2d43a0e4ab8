// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Win_shared_query on an allocated window (MPI-4.1: permitted; memory may or may not be
// reachable): either an error, or a null address of size 0, or memory in which the peer's stores
// are seen.
#include "csp_test_rma.h"

// Rank 0 has no memory: MPI_PROC_NULL means rank 1, on every node.
static void lowest_with_memory(void)
{
    MPI_Win win;
    MPI_Aint bytes = -1, want = csp_test_rank ? 64 + 16 * csp_test_rank : 0;
    int unit = -1, *base = NULL, *lowest = NULL;
    MPI_Win_allocate(want, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    int rc = MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &lowest);
    if (rc == MPI_SUCCESS && bytes != 0) {
        CHECK_INT(bytes, 80);
        CHECK(csp_test_rank != 1 || lowest == base);
    }
    MPI_Win_free(&win);
}

int main(void)
{
    csp_test_init();
    lowest_with_memory();
    MPI_Win win;
    int *base = csp_test_win_new(64, sizeof(int), MPI_COMM_WORLD, &win);
    csp_test_own(win, MPI_COMM_WORLD);
    base[0] = csp_test_rank + 1;
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(0, win);
    MPI_Win_sync(win);
    for (int t = 0; t < csp_test_size; t++) {
        MPI_Aint bytes = -1;
        int unit = -1, *peer = NULL;
        int rc = MPI_Win_shared_query(win, t, &bytes, &unit, &peer);
        if (rc != MPI_SUCCESS || peer == NULL || bytes == 0)
            continue;
        CHECK(bytes >= 64);
        CHECK_INT(unit, sizeof(int));
        CHECK_INT(peer[0], t + 1);
        CHECK(t != csp_test_rank || peer == base);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return csp_test_done();
}
