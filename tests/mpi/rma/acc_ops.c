// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Accumulate: every predefined operation on every C type that it is defined for, from all ranks
// to all ranks, against the result computed locally. With the argument "logical": LAND, LOR and
// LXOR, otherwise the others.
#include "csp_test_rma.h"

enum { N = 5 };

struct op {
    MPI_Op op;
    const char *name;
    int kinds; // bit 0: integers, bit 1: floating point; 0: not this time
};

static struct op ops[10];

static void fill_ops(int logical)
{
    struct op all[] = {{MPI_SUM, "SUM", 3},   {MPI_PROD, "PROD", 3}, {MPI_MAX, "MAX", 3},
                       {MPI_MIN, "MIN", 3},   {MPI_LAND, "LAND", 1}, {MPI_LOR, "LOR", 1},
                       {MPI_LXOR, "LXOR", 1}, {MPI_BAND, "BAND", 1}, {MPI_BOR, "BOR", 1},
                       {MPI_BXOR, "BXOR", 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((all[i].name[0] == 'L') != logical)
            all[i].kinds = 0;
    memcpy(ops, all, sizeof all);
}

static int operand(int rank, int i)
{
    return (rank * 3 + i) % 4; // products stay below 4^ranks
}

// What the target holds when all ranks have accumulated onto `start`.
static int expected(MPI_Op op, int start, int i)
{
    int x = start;
    for (int r = 0; r < csp_test_size; r++) {
        int y = operand(r, i);
        if (op == MPI_SUM)
            x += y;
        else if (op == MPI_PROD)
            x *= y;
        else if (op == MPI_MAX)
            x = x > y ? x : y;
        else if (op == MPI_MIN)
            x = x < y ? x : y;
        else if (op == MPI_LAND)
            x = x && y;
        else if (op == MPI_LOR)
            x = x || y;
        else if (op == MPI_LXOR)
            x = !x != !y;
        else if (op == MPI_BAND)
            x &= y;
        else if (op == MPI_BOR)
            x |= y;
        else
            x ^= y;
    }
    return x;
}

#define DEFINE_TYPE(fn, ctype, mpitype, kind_bits)                                                 \
    static void fn(MPI_Win win, void *base)                                                        \
    {                                                                                              \
        ctype src[N], *mine = base;                                                                \
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {                                    \
            if (!(ops[o].kinds & (kind_bits)))                                                     \
                continue;                                                                          \
            PHASE(#ctype);                                                                         \
            csp_test_own(win, MPI_COMM_WORLD);                                                     \
            for (int i = 0; i < N; i++)                                                            \
                mine[i] = (ctype)(i % 3);                                                          \
            csp_test_unown(win, MPI_COMM_WORLD);                                                   \
            for (int i = 0; i < N; i++)                                                            \
                src[i] = (ctype)operand(csp_test_rank, i);                                         \
            csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);                           \
            for (int t = 0; t < csp_test_size; t++)                                                \
                MPI_Accumulate(src, N, mpitype, t, 0, N, mpitype, ops[o].op, win);                 \
            csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);                          \
            for (int i = 0; i < N; i++)                                                            \
                CHECK_MSG(mine[i] == (ctype)expected(ops[o].op, i % 3, i), "%s on %s: [%d] is %g", \
                          ops[o].name, #mpitype, i, (double)mine[i]);                              \
        }                                                                                          \
    }

DEFINE_TYPE(do_schar, signed char, MPI_SIGNED_CHAR, 1)
DEFINE_TYPE(do_uchar, unsigned char, MPI_UNSIGNED_CHAR, 1)
DEFINE_TYPE(do_short, short, MPI_SHORT, 1)
DEFINE_TYPE(do_ushort, unsigned short, MPI_UNSIGNED_SHORT, 1)
DEFINE_TYPE(do_int, int, MPI_INT, 1)
DEFINE_TYPE(do_unsigned, unsigned, MPI_UNSIGNED, 1)
DEFINE_TYPE(do_long, long, MPI_LONG, 1)
DEFINE_TYPE(do_ulong, unsigned long, MPI_UNSIGNED_LONG, 1)
DEFINE_TYPE(do_llong, long long, MPI_LONG_LONG, 1)
DEFINE_TYPE(do_ullong, unsigned long long, MPI_UNSIGNED_LONG_LONG, 1)
DEFINE_TYPE(do_int8, int8_t, MPI_INT8_T, 1)
DEFINE_TYPE(do_int16, int16_t, MPI_INT16_T, 1)
DEFINE_TYPE(do_int32, int32_t, MPI_INT32_T, 1)
DEFINE_TYPE(do_int64, int64_t, MPI_INT64_T, 1)
DEFINE_TYPE(do_uint64, uint64_t, MPI_UINT64_T, 1)
DEFINE_TYPE(do_aint, MPI_Aint, MPI_AINT, 1)
DEFINE_TYPE(do_count, MPI_Count, MPI_COUNT, 1)
DEFINE_TYPE(do_float, float, MPI_FLOAT, 2)
DEFINE_TYPE(do_double, double, MPI_DOUBLE, 2)
DEFINE_TYPE(do_ldouble, long double, MPI_LONG_DOUBLE, 2)

int main(int argc, char **argv)
{
    void (*const types[])(MPI_Win, void *) = {
        do_schar,  do_uchar, do_short,  do_ushort, do_int,    do_unsigned, do_long,
        do_ulong,  do_llong, do_ullong, do_int8,   do_int16,  do_int32,    do_int64,
        do_uint64, do_aint,  do_count,  do_float,  do_double, do_ldouble};
    csp_test_init();
    fill_ops(argc > 1 && strcmp(argv[1], "logical") == 0);
    MPI_Win win;
    void *base = csp_test_win_new(N * 16, 1, MPI_COMM_WORLD, &win);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        types[t](win, base);
    MPI_Win_free(&win);
    return csp_test_done();
}
