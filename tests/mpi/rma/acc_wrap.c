// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Sums of narrow integers wrap around, as everywhere in C; arrays long enough for vector instructions.
#include "csp_test_rma.h"

enum { N = 512 };

#define WRAP(ctype, mpitype, value)                                                                \
    do {                                                                                           \
        ctype mine[N], *at = (ctype *)(void *)base;                                                \
        PHASE(#mpitype);                                                                           \
        csp_test_own(win, MPI_COMM_WORLD);                                                         \
        for (int i = 0; i < N; i++)                                                                \
            mine[i] = at[i] = (ctype)((value) - i % 3);                                            \
        csp_test_unown(win, MPI_COMM_WORLD);                                                       \
        MPI_Barrier(MPI_COMM_WORLD);                                                               \
        MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win);                                                 \
        MPI_Accumulate(mine, N, mpitype, to, 0, N, mpitype, MPI_SUM, win);                         \
        MPI_Win_unlock(to, win);                                                                   \
        MPI_Barrier(MPI_COMM_WORLD);                                                               \
        csp_test_own(win, MPI_COMM_WORLD);                                                         \
        for (int i = 0; i < N; i++)                                                                \
            CHECK_INT(at[i], (ctype)(2 * ((value) - i % 3)));                                      \
        csp_test_unown(win, MPI_COMM_WORLD);                                                       \
        MPI_Barrier(MPI_COMM_WORLD);                                                               \
    } while (0)

int main(void)
{
    csp_test_init();
    MPI_Win win;
    char *base;
    int to = (csp_test_rank + 1) % csp_test_size;
    MPI_Win_allocate(N * 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    WRAP(signed char, MPI_SIGNED_CHAR, 120);
    WRAP(unsigned char, MPI_UNSIGNED_CHAR, 250);
    WRAP(short, MPI_SHORT, -32000);
    WRAP(unsigned short, MPI_UNSIGNED_SHORT, 65000);
    WRAP(unsigned, MPI_UNSIGNED, 4000000000u);
    MPI_Win_free(&win);
    return csp_test_done();
}
