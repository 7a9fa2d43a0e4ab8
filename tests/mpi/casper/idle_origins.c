// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Origins that have begun large operations and compute since, so that the rest of their data does not come, are not in the way of
// another one's operation by the same ghost, however many they are.
#include "casper_only.h"

enum { BYTES = 400000, MANY = 33, COMPUTE_US = 2000000 };

static char data[BYTES];

static void one_operation(int target, MPI_Win win)
{
    int one = 1, old = -1;
    usleep(COMPUTE_US / 2);
    double begin = MPI_Wtime();
    MPI_Fetch_and_op(&one, &old, MPI_INT, target, BYTES, MPI_SUM, win);
    MPI_Win_flush(target, win);
    CHECK_INT(old, 0);
    CHECK(MPI_Wtime() - begin < COMPUTE_US * 1e-6 / 4);
}

int main(void)
{
    MPI_Win win;
    csp_test_init();
    casper_only();
    if (csp_test_size != 2 * (MANY + 1))
        csp_test_skip("needs two nodes with 34 users each");
    char *base = calloc(1, BYTES + sizeof(int));
    MPI_Win_create(base, BYTES + sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    const int target = csp_test_size - 1;
    if (csp_test_rank < MANY)
        MPI_Put(data, BYTES, MPI_CHAR, target, 0, BYTES, MPI_CHAR, win);
    if (csp_test_rank == MANY)
        one_operation(target, win);
    else
        usleep(COMPUTE_US);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(base);
    return csp_test_done();
}
