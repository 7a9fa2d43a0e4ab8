// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Without redirection: the request of an operation on a target that computes is not complete, and no call that looks at it waits
// for the target, neither a test nor one that has another request to tell of.
#include "../csp_test_rma.h"

enum { N = 64, STRIDE = 3, COMPUTE_MS = 1500, SOON_MS = 700 };

static MPI_Datatype column;

static void compute(int ms)
{
    double end = MPI_Wtime() + 1e-3 * ms;
    while (MPI_Wtime() < end)
        continue;
}

static void origin(MPI_Win win, int target)
{
    static int got[N * STRIDE];
    MPI_Request requests[2];
    int word = 0, index = -1, flag = -1;
    MPI_Irecv(&word, 1, MPI_INT, target, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    compute(100); // the message has come
    double begin = MPI_Wtime();
    MPI_Rget(got, 1, column, target, 0, 1, column, win, &requests[0]);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    CHECK_MSG(MPI_Wtime() - begin < 1e-3 * SOON_MS, "%.3f s", MPI_Wtime() - begin);
    CHECK_INT(index, 1);
    CHECK_INT(word, 5);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++)
        CHECK_INT(got[i * STRIDE], 100 + i * STRIDE);
    MPI_Rget(got, 1, column, target, 0, 1, column, win, &requests[0]);
    MPI_Win_flush(target, win);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE); // what a flush completed
    CHECK_INT(flag, 1);
}

static void target(int origin)
{
    const int word = 5;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&word, 1, MPI_INT, origin, 0, MPI_COMM_WORLD);
    compute(COMPUTE_MS);
}

int main(void)
{
    MPI_Win win;
    csp_test_init();
    int half = csp_test_size / 2;
    int *base = csp_test_win_new(N * STRIDE * sizeof(int), sizeof(int), MPI_COMM_WORLD, &win);
    MPI_Type_vector(N, 1, STRIDE, MPI_INT, &column);
    MPI_Type_commit(&column);
    csp_test_own(win, MPI_COMM_WORLD);
    for (int i = 0; i < N * STRIDE; i++)
        base[i] = 100 + i;
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (csp_test_rank < half)
        origin(win, csp_test_rank + half);
    else
        target(csp_test_rank - half);
    MPI_Win_unlock_all(win);
    MPI_Type_free(&column);
    MPI_Win_free(&win);
    return csp_test_done();
}
