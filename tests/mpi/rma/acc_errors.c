// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Accumulates that the standard does not allow raise an error and change nothing: an operation that
// is not for the type, one of the program's own, types that mix or are not predefined where they
// must be.
#include "csp_test_rma.h"

static void no_op(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)len, (void)type;
}

static MPI_Datatype mixed_type(void)
{
    MPI_Datatype type, parts[] = {MPI_INT, MPI_FLOAT};
    int blocks[] = {1, 1};
    MPI_Aint at[] = {0, 4};
    MPI_Type_create_struct(2, blocks, at, parts, &type);
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype pair_of_ints(void)
{
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void bad_operations(MPI_Win win)
{
    double d = 1, got = 0;
    int i = 1;
    MPI_Op mine;
    MPI_Op_create(no_op, 1, &mine);
    PHASE("operation not for the type");
    CHECK_CLASS(MPI_Accumulate(&d, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_BAND, win), MPI_ERR_OP);
    CHECK_CLASS(MPI_Get_accumulate(&d, 1, MPI_DOUBLE, &got, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE,
                                   MPI_BXOR, win),
                MPI_ERR_OP);
    PHASE("operation of the program");
    CHECK_CLASS(MPI_Accumulate(&i, 1, MPI_INT, 0, 0, 1, MPI_INT, mine, win), MPI_ERR_OP);
    CHECK_CLASS(MPI_Fetch_and_op(&i, &got, MPI_INT, 0, 0, mine, win), MPI_ERR_OP);
    MPI_Op_free(&mine);
}

static void bad_types(MPI_Win win)
{
    const MPI_Datatype no_integers[] = {
        MPI_DOUBLE,    MPI_REAL4, MPI_REAL8,  MPI_COMPLEX8, MPI_COMPLEX16,
        MPI_CHARACTER, MPI_WCHAR, MPI_PACKED, MPI_2INT,     MPI_CXX_FLOAT_COMPLEX};
    int i[4] = {1, 1, 1, 1}, got[4] = {0, 0, 0, 0};
    MPI_Datatype mixed = mixed_type(), pair = pair_of_ints();
    PHASE("types");
    CHECK_CLASS(MPI_Accumulate(i, 1, mixed, 0, 0, 1, mixed, MPI_SUM, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Accumulate(i, 1, mixed, 0, 0, 1, mixed, MPI_REPLACE, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Get_accumulate(NULL, 0, mixed, got, 1, mixed, 0, 0, 1, mixed, MPI_NO_OP, win),
                MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Fetch_and_op(i, got, pair, 0, 0, MPI_SUM, win), MPI_ERR_TYPE);
    for (size_t k = 0; k < sizeof no_integers / sizeof *no_integers; k++)
        if (no_integers[k] != MPI_DATATYPE_NULL)
            CHECK_CLASS(MPI_Compare_and_swap(i, i, got, no_integers[k], 0, 0, win), MPI_ERR_TYPE);
    MPI_Type_free(&mixed);
    MPI_Type_free(&pair);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    unsigned char *base = csp_test_win_new(64, 8, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(0, win);
    bad_operations(win);
    bad_types(win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    csp_test_own(win, MPI_COMM_WORLD);
    for (int i = 0; i < 64; i++)
        CHECK_INT(base[i], CSP_TEST_POISON);
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return csp_test_done();
}
