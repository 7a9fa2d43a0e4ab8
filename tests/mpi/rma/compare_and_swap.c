// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Compare_and_swap: hit and miss for all sizes of integer and for logical values (MPI-4.1 12.3.4),
// each rank on its own element of every target, in every kind of epoch.
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
DEFINE_TYPE(do_count, MPI_Count, MPI_COUNT)
DEFINE_TYPE(do_offset, MPI_Offset, MPI_OFFSET)

enum { LOGICAL_MAX = 8 }; // bytes

static void set_logical(void *at, int size, int value)
{
    unsigned char bytes[LOGICAL_MAX] = {(unsigned char)value};
    memcpy(at, bytes, (size_t)size);
}

static int is_logical(const void *at, int size, int value)
{
    unsigned char bytes[LOGICAL_MAX];
    set_logical(bytes, size, value);
    return memcmp(at, bytes, (size_t)size) == 0;
}

static void do_logical(MPI_Datatype type, int size, enum csp_test_epoch kind, int hit, MPI_Win win,
                       char *base)
{
    char res[64][LOGICAL_MAX], compare[64][LOGICAL_MAX], other[64][LOGICAL_MAX];
    csp_test_poison(res, sizeof res);
    csp_test_own(win, MPI_COMM_WORLD);
    for (int i = 0; i < csp_test_size; i++)
        set_logical(base + i * size, size, (csp_test_rank + i) % 2);
    csp_test_unown(win, MPI_COMM_WORLD);
    csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
    for (int t = 0; t < csp_test_size; t++) {
        int there = (t + csp_test_rank) % 2;
        set_logical(compare[t], size, hit ? there : !there);
        set_logical(other[t], size, !there);
        MPI_Compare_and_swap(other[t], compare[t], res[t], type, t, csp_test_rank * (MPI_Aint)size,
                             win);
    }
    csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
    for (int i = 0; i < csp_test_size; i++) {
        int was = (i + csp_test_rank) % 2;
        CHECK(is_logical(res[i], size, was));
        CHECK(is_logical(base + i * size, size, hit ? !was : was));
    }
}

// Libraries that were built without Fortran have an MPI_LOGICAL, with a size, and refuse it.
static int has_fortran(void)
{
    const char *mpi = getenv("CASPER_TEST_MPI");
    return mpi && (strcmp(mpi, "m40") == 0 || strcmp(mpi, "o41") == 0);
}

static void all_logical(enum csp_test_epoch kind, MPI_Win win, void *base)
{
    enum { FORTRAN = 2 }; // from this one on
    const MPI_Datatype types[] = {
        MPI_C_BOOL,   MPI_CXX_BOOL, MPI_LOGICAL,
#ifdef MPI_LOGICAL1 // not in MPICH 4.0
        MPI_LOGICAL1, MPI_LOGICAL2, MPI_LOGICAL4, MPI_LOGICAL8,
#endif
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int size = 0;
        if (types[i] == MPI_DATATYPE_NULL || (i >= FORTRAN && !has_fortran()))
            continue;
        MPI_Type_size(types[i], &size);
        for (int hit = 0; size > 0 && size <= LOGICAL_MAX && hit < 2; hit++)
            do_logical(types[i], size, kind, hit, win, base);
    }
}

int main(void)
{
    void (*const types[])(enum csp_test_epoch, int, MPI_Win, void *) = {
        do_char, do_short, do_int, do_int64, do_aint, do_byte, do_count, do_offset};
    csp_test_init();
    MPI_Win win;
    void *base = csp_test_win_new((MPI_Aint)16 * csp_test_size, 1, MPI_COMM_WORLD, &win);
    FOR_EACH_EPOCH(kind)
    {
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (int hit = 0; hit < 2; hit++)
                types[t](kind, hit, win, base);
        all_logical(kind, win, base);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
