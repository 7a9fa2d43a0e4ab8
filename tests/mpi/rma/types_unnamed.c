// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Accumulates on predefined types without a name: those of Fortran by precision, in windows
// of all kinds. Skipped where the library has no Fortran types.
#include "csp_test_rma.h"

enum { N = 5 };

static void add(MPI_Datatype basic, MPI_Datatype wide, MPI_Op op, int count, void *mine, void *old,
                MPI_Win win)
{
    for (int t = 0; t < csp_test_size; t++) {
        MPI_Accumulate(mine, count, basic, t, 0, count, basic, op, win);
        MPI_Accumulate(mine, 1, wide, t, 0, 1, wide, op, win);
        MPI_Win_flush(t, win);
        MPI_Get_accumulate(mine, count, basic, old, count, basic, t, 0, count, basic, op, win);
        MPI_Win_flush(t, win);
    }
}

static MPI_Datatype row_of(MPI_Datatype basic)
{
    MPI_Datatype type;
    MPI_Type_contiguous(N, basic, &type);
    MPI_Type_commit(&type);
    return type;
}

#define DEFINE(fn, ctype)                                                                          \
    static void fn(MPI_Datatype basic)                                                             \
    {                                                                                              \
        int size;                                                                                  \
        ctype *base, mine[N], old[N] = {0};                                                        \
        MPI_Win win;                                                                               \
        MPI_Datatype wide = row_of(basic);                                                         \
        PHASE(#fn);                                                                                \
        MPI_Type_size(basic, &size);                                                               \
        CHECK_INT(size, sizeof(ctype));                                                            \
        base = csp_test_win_new(sizeof mine, sizeof *mine, MPI_COMM_WORLD, &win);                  \
        csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof mine, 0);                              \
        for (int i = 0; i < N; i++)                                                                \
            mine[i] = (ctype)(i + 1);                                                              \
        csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);                               \
        add(basic, wide, MPI_SUM, N, mine, old, win);                                              \
        csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);                              \
        for (int i = 0; i < N; i++)                                                                \
            CHECK_INT(base[i], 3 * csp_test_size * (i + 1));                                       \
        MPI_Type_free(&wide);                                                                      \
        MPI_Win_free(&win);                                                                        \
    }

DEFINE(real_15, double)
DEFINE(real_6, float)
DEFINE(integer_9, int)
DEFINE(integer_15, int64_t)
DEFINE(real_18, long double)

static void swap(MPI_Datatype type)
{
    int *base, mine = csp_test_rank + 1, free = 0, old = -1, size;
    MPI_Win win;
    PHASE("swap");
    MPI_Type_size(type, &size);
    CHECK_INT(size, sizeof(int));
    base = csp_test_win_new(sizeof *base, sizeof *base, MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof *base, 0);
    csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    int target = (csp_test_rank + 1) % csp_test_size;
    MPI_Compare_and_swap(&mine, &free, &old, type, target, 0, win);
    csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    CHECK_INT(old, 0);
    CHECK_INT(base[0], (csp_test_rank + csp_test_size - 1) % csp_test_size + 1);
    MPI_Win_free(&win);
}

// What only Open MPI has: MPICH's MPI_Compare_and_swap takes named types alone, and its reals of 16 bytes may be of
// several kinds.
static void rarer(MPI_Datatype integer)
{
#ifdef OPEN_MPI
    MPI_Datatype real;
    MPI_Type_create_f90_real(18, MPI_UNDEFINED, &real);
    real_18(real);
    swap(integer);
#else
    (void)integer, (void)swap, (void)real_18;
#endif
}

int main(void)
{
    MPI_Datatype real, shorter, integer, longer;
    csp_test_init();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (MPI_Type_create_f90_real(15, 307, &real) != MPI_SUCCESS ||
        MPI_Type_create_f90_real(6, 37, &shorter) != MPI_SUCCESS ||
        MPI_Type_create_f90_integer(9, &integer) != MPI_SUCCESS ||
        MPI_Type_create_f90_integer(15, &longer) != MPI_SUCCESS)
        csp_test_skip("the MPI library has no types by precision");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    real_15(real);
    real_6(shorter);
    integer_9(integer);
    integer_15(longer);
    rarer(integer);
    return csp_test_done();
}
