// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_MINLOC and MPI_MAXLOC accumulates on the pair types of C (but MPI_SHORT_INT, which Open MPI
// 4.1 refuses and Intel MPI 2021 gets wrong).
#include "csp_test_rma.h"

#define DEFINE_PAIR(fn, ctype, mpitype)                                                            \
    static void fn(void)                                                                           \
    {                                                                                              \
        struct pair {                                                                              \
            ctype value;                                                                           \
            int index;                                                                             \
        } mine = {(ctype)((csp_test_rank * 7 + 3) % 5), csp_test_rank}, *base;                     \
        struct pair lo = {100, 99}, hi = {-100, 99};                                               \
        MPI_Win win;                                                                               \
        PHASE(#mpitype);                                                                           \
        base = csp_test_win_new(2 * sizeof mine, sizeof mine, MPI_COMM_WORLD, &win);               \
        csp_test_own(win, MPI_COMM_WORLD);                                                         \
        base[0] = lo;                                                                              \
        base[1] = hi;                                                                              \
        csp_test_unown(win, MPI_COMM_WORLD);                                                       \
        csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);                               \
        for (int t = 0; t < csp_test_size; t++) {                                                  \
            MPI_Accumulate(&mine, 1, mpitype, t, 0, 1, mpitype, MPI_MINLOC, win);                  \
            MPI_Accumulate(&mine, 1, mpitype, t, 1, 1, mpitype, MPI_MAXLOC, win);                  \
        }                                                                                          \
        csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);                              \
        for (int r = 0; r < csp_test_size; r++) {                                                  \
            ctype v = (ctype)((r * 7 + 3) % 5);                                                    \
            if (v < lo.value) {                                                                    \
                lo.value = v;                                                                      \
                lo.index = r;                                                                      \
            }                                                                                      \
            if (v > hi.value) {                                                                    \
                hi.value = v;                                                                      \
                hi.index = r;                                                                      \
            }                                                                                      \
        }                                                                                          \
        CHECK_INT(base[0].value, lo.value);                                                        \
        CHECK_INT(base[0].index, lo.index);                                                        \
        CHECK_INT(base[1].value, hi.value);                                                        \
        CHECK_INT(base[1].index, hi.index);                                                        \
        MPI_Win_free(&win);                                                                        \
    }

DEFINE_PAIR(two_int, int, MPI_2INT)
#if !defined(OMPI_MAJOR_VERSION) || OMPI_MAJOR_VERSION >= 5 // 4.1 refuses pairs with padding
DEFINE_PAIR(long_int, long, MPI_LONG_INT)
DEFINE_PAIR(double_int, double, MPI_DOUBLE_INT)
#endif
DEFINE_PAIR(float_int, float, MPI_FLOAT_INT)

int main(void)
{
    csp_test_init();
    two_int();
    float_int();
#if !defined(OMPI_MAJOR_VERSION) || OMPI_MAJOR_VERSION >= 5 // 4.1 refuses pairs with padding
    long_int();
    double_int();
#endif
    return csp_test_done();
}
