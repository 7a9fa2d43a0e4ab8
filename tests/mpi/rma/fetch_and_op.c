// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Fetch_and_op: SUM, REPLACE and NO_OP for several types, each rank on its own element of every
// target, in every kind of epoch.
#include "csp_test_rma.h"

#define DEFINE_TYPE(fn, ctype, mpitype)                                                            \
    static void fn(enum csp_test_epoch kind, MPI_Op op, MPI_Win win, void *win_base)               \
    {                                                                                              \
        ctype *base = win_base, src = 7, *res = csp_test_malloc(sizeof(ctype) * 64);               \
        csp_test_own(win, MPI_COMM_WORLD);                                                         \
        for (int i = 0; i < csp_test_size; i++)                                                    \
            base[i] = (ctype)(csp_test_rank * 10 + i);                                             \
        csp_test_unown(win, MPI_COMM_WORLD);                                                       \
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);                                            \
        for (int t = 0; t < csp_test_size; t++)                                                    \
            MPI_Fetch_and_op(&src, &res[t], mpitype, t, csp_test_rank * (MPI_Aint)sizeof(ctype),   \
                             op, win);                                                             \
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);                                           \
        for (int i = 0; i < csp_test_size; i++) {                                                  \
            int old = csp_test_rank * 10 + i;                                                      \
            int want = op == MPI_NO_OP ? old : op == MPI_REPLACE ? 7 : old + 7;                    \
            CHECK_MSG(res[i] == (ctype)(i * 10 + csp_test_rank), #ctype ": fetched %g from %d",    \
                      (double)res[i], i);                                                          \
            CHECK_MSG(base[i] == (ctype)want, #ctype ": [%d] is %g", i, (double)base[i]);          \
        }                                                                                          \
        free(res);                                                                                 \
    }

DEFINE_TYPE(do_char, signed char, MPI_SIGNED_CHAR)
DEFINE_TYPE(do_short, short, MPI_SHORT)
DEFINE_TYPE(do_int, int, MPI_INT)
DEFINE_TYPE(do_int64, int64_t, MPI_INT64_T)
DEFINE_TYPE(do_uint64, uint64_t, MPI_UINT64_T)
DEFINE_TYPE(do_float, float, MPI_FLOAT)
DEFINE_TYPE(do_double, double, MPI_DOUBLE)

int main(void)
{
    void (*const types[])(enum csp_test_epoch, MPI_Op, MPI_Win, void *) = {
        do_char, do_short, do_int, do_int64, do_uint64, do_float, do_double};
    csp_test_init();
    const MPI_Op ops[] = {MPI_SUM, MPI_REPLACE, MPI_NO_OP};
    MPI_Win win;
    void *base = csp_test_win_new((MPI_Aint)16 * csp_test_size, 1, MPI_COMM_WORLD, &win);
    FOR_EACH_EPOCH(kind)
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int o = 0; o < 3; o++)
            types[t](kind, ops[o], win, base);
    MPI_Win_free(&win);
    return csp_test_done();
}
