// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A window of 64 MB per rank (or as many MB as the argument says), touched at both ends and in the
// middle; three times, so that what is freed is found again.
#include "csp_test_rma.h"

static const double places[] = {0, 0.25, 0.5, 0.999};

static void run(MPI_Aint bytes)
{
    enum { N = 100 };
    MPI_Win win;
    char *base;
    int src[N], to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    for (int i = 0; i < N; i++)
        src[i] = csp_test_rank * 1000 + i;
    for (int k = 0; k < 4; k++) {
        MPI_Aint at = (MPI_Aint)(places[k] * (double)bytes) / 4 * 4;
        at = at > bytes - (MPI_Aint)sizeof src ? bytes - (MPI_Aint)sizeof src : at;
        csp_test_win_fill(win, MPI_COMM_WORLD, base + at, sizeof src, 0);
        csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
        MPI_Put(src, N / 2, MPI_INT, to, at, N / 2, MPI_INT, win);
        MPI_Accumulate(src + N / 2, N / 2, MPI_INT, to, at + (MPI_Aint)sizeof src / 2, N / 2,
                       MPI_INT, MPI_SUM, win);
        csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++) {
            int got;
            memcpy(&got, base + at + 4 * i, sizeof got);
            CHECK_INT(got, from * 1000 + i);
        }
    }
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    csp_test_init();
    MPI_Aint mb = argc > 1 ? atoi(argv[1]) : 64;
    for (int i = 0; i < 3; i++)
        run(mb << 20);
    return csp_test_done();
}
