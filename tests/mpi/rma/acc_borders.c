// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Elements of 8 bytes at odd multiples of 4, so that some lie across any border at a larger power of two: every rank counts
// in all of them by each kind of accumulate at once.
#include "csp_test_rma.h"

enum { BYTES = 4096, FIRST = 4, N = (BYTES - 8) / 8, ROUNDS = 3 };

static void by_compare_and_swap(int target, int at, MPI_Win win)
{
    int64_t old = 0, seen, next;
    for (;;) {
        next = old + 1;
        MPI_Compare_and_swap(&next, &old, &seen, MPI_INT64_T, target, at, win);
        MPI_Win_flush(target, win);
        if (seen == old)
            return;
        old = seen;
    }
}

static void count(int target, MPI_Win win)
{
    int64_t ones[N], old[N], one = 1, fetched = -1;
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    MPI_Accumulate(ones, N, MPI_INT64_T, target, 1, N, MPI_INT64_T, MPI_SUM, win);
    MPI_Get_accumulate(ones, N, MPI_INT64_T, old, N, MPI_INT64_T, target, 1, N, MPI_INT64_T,
                       MPI_SUM, win);
    MPI_Win_flush(target, win);
    for (int i = 0; i < N; i++)
        CHECK_MSG(old[i] > 0 && old[i] <= ROUNDS * 4 * csp_test_size, "fetched %lld",
                  (long long)old[i]);
    for (int i = N / 2 - 8; i < N / 2 + 16; i++) {
        MPI_Fetch_and_op(&one, &fetched, MPI_INT64_T, target, 1 + 2 * i, MPI_SUM, win);
        MPI_Win_flush(target, win);
        CHECK_MSG(fetched > 0, "element %d: fetched %lld", i, (long long)fetched);
        by_compare_and_swap(target, 1 + 2 * i, win);
    }
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    char *base = csp_test_win_new(BYTES, 4, MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, BYTES, 0);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    for (int round = 0; round < ROUNDS; round++)
        for (int t = 0; t < csp_test_size; t++)
            count((csp_test_rank + t) % csp_test_size, win);
    csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++) {
        int64_t got;
        int each = i >= N / 2 - 8 && i < N / 2 + 16 ? 4 : 2;
        memcpy(&got, base + FIRST + 8 * i, sizeof got);
        CHECK_INT(got, each * ROUNDS * csp_test_size);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
