// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Rput, Rget, Raccumulate, Rget_accumulate, completed by Wait, Test, Waitall, Waitany and Testall;
// the results of Rget and Rget_accumulate are there when the request is complete, without a flush.
#include "csp_test_rma.h"

enum { N = 50 };

typedef void (*complete_fn)(int n, MPI_Request *reqs);

static void by_wait(int n, MPI_Request *reqs)
{
    for (int i = n - 1; i >= 0; i--)
        MPI_Wait(&reqs[i], MPI_STATUS_IGNORE);
}

static void by_test(int n, MPI_Request *reqs)
{
    for (int i = 0; i < n; i++)
        for (int flag = 0; !flag;)
            MPI_Test(&reqs[i], &flag, MPI_STATUS_IGNORE);
}

static void by_waitall(int n, MPI_Request *reqs)
{
    MPI_Waitall(n, reqs, MPI_STATUSES_IGNORE);
}

static void by_waitany(int n, MPI_Request *reqs)
{
    for (int i = 0; i < n; i++) {
        int index = -1;
        MPI_Waitany(n, reqs, &index, MPI_STATUS_IGNORE);
        CHECK(index >= 0 && index < n);
    }
}

static void by_testall(int n, MPI_Request *reqs)
{
    for (int flag = 0; !flag;)
        MPI_Testall(n, reqs, &flag, MPI_STATUSES_IGNORE);
}

static void run(complete_fn complete, MPI_Win win, MPI_Aint bytes, int *base)
{
    int n = csp_test_size;
    int *src = csp_test_malloc((size_t)bytes), *res = csp_test_malloc((size_t)bytes);
    MPI_Request *reqs = malloc(sizeof(MPI_Request) * (size_t)n);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, bytes, CSP_TEST_POISON);
    MPI_Win_lock_all(0, win);
    MPI_Aint at = (MPI_Aint)csp_test_rank * N;
    for (int i = 0; i < n * N; i++)
        src[i] = csp_test_rank * 1000000 + i;
    for (int t = 0; t < n; t++)
        MPI_Rput(src + t * N, N, MPI_INT, t, at, N, MPI_INT, win, &reqs[t]);
    complete(n, reqs);
    MPI_Win_flush_all(win);
    for (int t = 0; t < n; t++)
        MPI_Rget(res + t * N, N, MPI_INT, t, at, N, MPI_INT, win, &reqs[t]);
    complete(n, reqs);
    for (int i = 0; i < n * N; i++)
        CHECK_INT(res[i], csp_test_rank * 1000000 + i);
    for (int t = 0; t < n; t++)
        MPI_Raccumulate(src + t * N, N, MPI_INT, t, at, N, MPI_INT, MPI_SUM, win, &reqs[t]);
    complete(n, reqs);
    for (int t = 0; t < n; t++)
        MPI_Rget_accumulate(src + t * N, N, MPI_INT, res + t * N, N, MPI_INT, t, at, N, MPI_INT,
                            MPI_SUM, win, &reqs[t]);
    complete(n, reqs);
    for (int i = 0; i < n * N; i++)
        CHECK_INT(res[i], 2 * (csp_test_rank * 1000000 + i));
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    csp_test_own(win, MPI_COMM_WORLD);
    for (int i = 0; i < n * N; i++)
        CHECK_INT(base[i], 3 * (i / N * 1000000 + csp_test_rank * N + i % N));
    csp_test_unown(win, MPI_COMM_WORLD);
    free(src);
    free(res);
    free(reqs);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    MPI_Aint bytes = (MPI_Aint)sizeof(int) * N * csp_test_size;
    int *base = csp_test_win_new(bytes, sizeof(int), MPI_COMM_WORLD, &win);
    PHASE("wait");
    run(by_wait, win, bytes, base);
    PHASE("test");
    run(by_test, win, bytes, base);
    PHASE("waitall");
    run(by_waitall, win, bytes, base);
    PHASE("waitany");
    run(by_waitany, win, bytes, base);
    PHASE("testall");
    run(by_testall, win, bytes, base);
    MPI_Win_free(&win);
    return csp_test_done();
}
