// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Put and MPI_Get of 1 to 1000 ints between all pairs, self included, in every kind of epoch;
// neighbouring elements stay untouched.
#include "csp_test_rma.h"

enum { MAX = 1000, STRIDE = MAX + 2 };

static int value(int from, int to, int i)
{
    return from * 1000003 + to * 1009 + i;
}

static void put_all(MPI_Win win, int n, int *buf)
{
    for (int to = 0; to < csp_test_size; to++) {
        int *part = buf + (size_t)to * MAX;
        for (int i = 0; i < n; i++)
            part[i] = value(csp_test_rank, to, i);
        MPI_Put(part, n, MPI_INT, to, (MPI_Aint)csp_test_rank * STRIDE + 1, n, MPI_INT, win);
    }
}

static void check_put(const int *base, int n)
{
    for (int from = 0; from < csp_test_size; from++) {
        const int *part = base + (size_t)from * STRIDE;
        CHECK(csp_test_is_poison(part, sizeof(int)));
        for (int i = 0; i < n; i++)
            CHECK_INT(part[i + 1], value(from, csp_test_rank, i));
        CHECK(csp_test_is_poison(part + n + 1, sizeof(int) * (size_t)(STRIDE - n - 1)));
    }
}

static void get_all(MPI_Win win, int n, int *buf)
{
    for (int at = 0; at < csp_test_size; at++)
        MPI_Get(buf + (size_t)at * MAX, n, MPI_INT, at, (MPI_Aint)csp_test_rank * STRIDE + 1, n,
                MPI_INT, win);
}

static void check_get(const int *buf, int n)
{
    for (int at = 0; at < csp_test_size; at++)
        for (int i = 0; i < n; i++)
            CHECK_INT(buf[at * MAX + i], value(csp_test_rank, at, i));
}

int main(void)
{
    static const int sizes[] = {1, 2, 3, 7, 64, 1000};
    csp_test_init();
    size_t buf_bytes = sizeof(int) * MAX * (size_t)csp_test_size;
    MPI_Aint bytes = (MPI_Aint)sizeof(int) * STRIDE * csp_test_size;
    int *buf = csp_test_malloc(buf_bytes);
    MPI_Win win;
    int *base = csp_test_win_new(bytes, sizeof(int), MPI_COMM_WORLD, &win);
    FOR_EACH_EPOCH(kind)
    {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            csp_test_win_fill(win, MPI_COMM_WORLD, base, bytes, CSP_TEST_POISON);
            csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
            put_all(win, sizes[s], buf);
            csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
            check_put(base, sizes[s]);
            csp_test_poison(buf, buf_bytes);
            csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
            get_all(win, sizes[s], buf);
            csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
            check_get(buf, sizes[s]);
        }
    }
    MPI_Win_free(&win);
    free(buf);
    return csp_test_done();
}
