// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Disjoint communicators that cross the nodes create, use and free windows at the same time, each
// at its own pace and in its own number; sizes above and below what fits a small pool.
#include "comms.h"

static void create_many(MPI_Comm comm, int color)
{
    for (int i = 0; i < 15 + 10 * color; i++) {
        MPI_Win win;
        char *base;
        int rank, size, got = -1;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        MPI_Aint bytes = i % 4 == 3 ? 3 << 20 : 1024;
        MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm, &base, &win);
        csp_test_own(win, comm);
        memcpy(base + bytes - sizeof(int), &(int){color * 1000 + rank * 100 + i}, sizeof(int));
        csp_test_unown(win, comm);
        MPI_Barrier(comm);
        MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, win);
        MPI_Get(&got, 1, MPI_INT, (rank + 1) % size, bytes - (MPI_Aint)sizeof(int), 1, MPI_INT,
                win);
        MPI_Win_unlock((rank + 1) % size, win);
        CHECK_INT(got, color * 1000 + (rank + 1) % size * 100 + i);
        MPI_Win_free(&win);
    }
}

int main(void)
{
    csp_test_init();
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, csp_test_rank % 2, csp_test_rank, &comm);
    create_many(comm, csp_test_rank % 2);
    MPI_Comm_free(&comm);
    return csp_test_done();
}
