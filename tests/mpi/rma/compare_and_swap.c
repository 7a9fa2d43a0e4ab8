// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Compare_and_swap: hit and miss for all sizes of integer, each rank on its own element of
// every target, in every kind of epoch.
#include "csp_test_rma.h"

#define DEFINE_TYPE(fn, ctype, mpitype)                                                            \
    static void fn(enum csp_test_epoch kind, int hit, MPI_Win win, void *win_base)                 \
    {                                                                                              \
        ctype *base = win_base, new_value = 99, res[64], compare[64];                              \
        csp_test_poison(res, sizeof res);                                                          \
        csp_test_own(win, MPI_COMM_WORLD);                                                         \
        for (int i = 0; i < csp_test_size; i++)                                                    \
            base[i] = (ctype)(csp_test_rank * 10 + i);                                             \
        csp_test_unown(win, MPI_COMM_WORLD);                                                       \
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);                                            \
        for (int t = 0; t < csp_test_size; t++) {                                                  \
            compare[t] = (ctype)(t * 10 + csp_test_rank + !hit);                                   \
            MPI_Compare_and_swap(&new_value, &compare[t], &res[t], mpitype, t,                     \
                                 csp_test_rank * (MPI_Aint)sizeof(ctype), win);                    \
        }                                                                                          \
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);                                           \
        for (int i = 0; i < csp_test_size; i++) {                                                  \
            CHECK_INT(res[i], (ctype)(i * 10 + csp_test_rank));                                    \
            CHECK_INT(base[i], hit ? 99 : (ctype)(csp_test_rank * 10 + i));                        \
        }                                                                                          \
    }

DEFINE_TYPE(do_char, signed char, MPI_SIGNED_CHAR)
DEFINE_TYPE(do_short, unsigned short, MPI_UNSIGNED_SHORT)
DEFINE_TYPE(do_int, int, MPI_INT)
DEFINE_TYPE(do_int64, int64_t, MPI_INT64_T)
DEFINE_TYPE(do_aint, MPI_Aint, MPI_AINT)
DEFINE_TYPE(do_byte, unsigned char, MPI_BYTE)

int main(void)
{
    void (*const types[])(enum csp_test_epoch, int, MPI_Win,
                          void *) = {do_char, do_short, do_int, do_int64, do_aint, do_byte};
    csp_test_init();
    MPI_Win win;
    void *base = csp_test_win_new((MPI_Aint)16 * csp_test_size, 1, MPI_COMM_WORLD, &win);
    FOR_EACH_EPOCH(kind)
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int hit = 0; hit < 2; hit++)
            types[t](kind, hit, win, base);
    MPI_Win_free(&win);
    return csp_test_done();
}
