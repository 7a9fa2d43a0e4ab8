// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Parts of 1 to 17 bytes, of different odd sizes on each rank: nobody's bytes are anybody else's.
#include "csp_test_rma.h"

static int size_of(int rank, int round)
{
    return 1 + (rank * 5 + round) % 17;
}

static unsigned char byte(int from, int to, int i)
{
    return (unsigned char)(from * 64 + to * 16 + i);
}

static void run(int round)
{
    MPI_Win win;
    unsigned char *base, src[17], got[17];
    int n = size_of(csp_test_rank, round), to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size, n_to = size_of(to, round);
    MPI_Win_allocate(n, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, n, CSP_TEST_POISON);
    CHECK(csp_test_is_poison(base, (size_t)n));
    for (int i = 0; i < n_to; i++)
        src[i] = byte(csp_test_rank, to, i);
    csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    MPI_Put(src, n_to, MPI_BYTE, to, 0, n_to, MPI_BYTE, win);
    csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        CHECK_INT(base[i], byte(from, csp_test_rank, i));
    csp_test_poison(got, sizeof got);
    csp_test_epoch_open(CSP_TEST_FENCE, win, MPI_COMM_WORLD);
    MPI_Get(got, n_to, MPI_BYTE, to, 0, n_to, MPI_BYTE, win);
    csp_test_epoch_close(CSP_TEST_FENCE, win, MPI_COMM_WORLD);
    for (int i = 0; i < n_to; i++)
        CHECK_INT(got[i], src[i]);
    CHECK(csp_test_is_poison(got + n_to, sizeof got - (size_t)n_to));
    MPI_Win_free(&win);
}

int main(void)
{
    csp_test_init();
    for (int round = 0; round < 17; round++)
        run(round);
    return csp_test_done();
}
