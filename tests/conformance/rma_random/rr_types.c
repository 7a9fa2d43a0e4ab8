// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The predefined types: values that give exact results, and the arithmetic of each operation.
#include "rr.h"
#include <complex.h>

#define BIT(op) (1u << RR_##op)
enum {
    ORDER = BIT(MAX) | BIT(MIN),
    ARITHMETIC = BIT(SUM) | BIT(PROD),
    LOGICAL = BIT(LAND) | BIT(LOR) | BIT(LXOR),
    BITWISE = BIT(BAND) | BIT(BOR) | BIT(BXOR),
    LOCATION = BIT(MAXLOC) | BIT(MINLOC),
};

#define CLASS(name, T, OPS, CAS, FEATURE)                                                          \
    static const struct rr_class class_##name = {.extent = sizeof(T),                              \
                                                 .align = _Alignof(T),                             \
                                                 .ops = (OPS),                                     \
                                                 .cas = (CAS),                                     \
                                                 .feature = (FEATURE),                             \
                                                 .apply = apply_##name,                            \
                                                 .set = set_##name,                                \
                                                 .equal = equal_##name,                            \
                                                 .print = print_##name};

#define SCALAR(name, T, FORMAT, SHOWN)                                                             \
    static void set_##name(void *p, int value, int index)                                          \
    {                                                                                              \
        (void)index;                                                                               \
        *(T *)p = (T)value;                                                                        \
    }                                                                                              \
    static bool equal_##name(const void *a, const void *b)                                         \
    {                                                                                              \
        return *(const T *)a == *(const T *)b;                                                     \
    }                                                                                              \
    static void print_##name(const void *p, char *text, size_t bytes)                              \
    {                                                                                              \
        snprintf(text, bytes, FORMAT, (SHOWN) * (const T *)p);                                     \
    }

#define INTEGER(name, T, OPS, CAS, FEATURE)                                                        \
    SCALAR(name, T, "%lld", long long)                                                             \
    static void apply_##name(enum rr_op op, void *inout, const void *in)                           \
    {                                                                                              \
        T *a = inout, b = *(const T *)in;                                                          \
        switch (op) {                                                                              \
        case RR_SUM:                                                                               \
            *a = (T)(*a + b);                                                                      \
            break;                                                                                 \
        case RR_PROD:                                                                              \
            *a = (T)(*a * b);                                                                      \
            break;                                                                                 \
        case RR_MAX:                                                                               \
            *a = b > *a ? b : *a;                                                                  \
            break;                                                                                 \
        case RR_MIN:                                                                               \
            *a = b < *a ? b : *a;                                                                  \
            break;                                                                                 \
        case RR_LAND:                                                                              \
            *a = (T)(*a && b);                                                                     \
            break;                                                                                 \
        case RR_LOR:                                                                               \
            *a = (T)(*a || b);                                                                     \
            break;                                                                                 \
        case RR_LXOR:                                                                              \
            *a = (T)(!*a != !b);                                                                   \
            break;                                                                                 \
        case RR_BAND:                                                                              \
            *a = (T)(*a & b);                                                                      \
            break;                                                                                 \
        case RR_BOR:                                                                               \
            *a = (T)(*a | b);                                                                      \
            break;                                                                                 \
        case RR_BXOR:                                                                              \
            *a = (T)(*a ^ b);                                                                      \
            break;                                                                                 \
        default:                                                                                   \
            *a = op == RR_REPLACE ? b : *a;                                                        \
        }                                                                                          \
    }                                                                                              \
    CLASS(name, T, OPS, CAS, FEATURE)

#define FLOATING(name, T, OPS, GREATER, FEATURE)                                                   \
    static void apply_##name(enum rr_op op, void *inout, const void *in)                           \
    {                                                                                              \
        T *a = inout, b = *(const T *)in;                                                          \
        switch (op) {                                                                              \
        case RR_SUM:                                                                               \
            *a = *a + b;                                                                           \
            break;                                                                                 \
        case RR_PROD:                                                                              \
            *a = *a * b;                                                                           \
            break;                                                                                 \
        case RR_MAX:                                                                               \
            *a = GREATER(b, *a) ? b : *a;                                                          \
            break;                                                                                 \
        case RR_MIN:                                                                               \
            *a = GREATER(*a, b) ? b : *a;                                                          \
            break;                                                                                 \
        default:                                                                                   \
            *a = op == RR_REPLACE ? b : *a;                                                        \
        }                                                                                          \
    }                                                                                              \
    CLASS(name, T, OPS, false, FEATURE)

#define PAIR(name, T, FEATURE)                                                                     \
    struct name {                                                                                  \
        T value;                                                                                   \
        int index;                                                                                 \
    };                                                                                             \
    static void set_##name(void *p, int value, int index)                                          \
    {                                                                                              \
        struct name *e = p;                                                                        \
        e->value = (T)value;                                                                       \
        e->index = index;                                                                          \
    }                                                                                              \
    static bool equal_##name(const void *p, const void *q)                                         \
    {                                                                                              \
        const struct name *a = p, *b = q;                                                          \
        return a->value == b->value && a->index == b->index;                                       \
    }                                                                                              \
    static void print_##name(const void *p, char *text, size_t bytes)                              \
    {                                                                                              \
        const struct name *e = p;                                                                  \
        snprintf(text, bytes, "(%Lg, %d)", (long double)e->value, e->index);                       \
    }                                                                                              \
    static void apply_##name(enum rr_op op, void *inout, const void *in)                           \
    {                                                                                              \
        struct name *a = inout;                                                                    \
        const struct name *b = in;                                                                 \
        bool first = b->index < a->index;                                                          \
        bool best = op == RR_MAXLOC ? b->value > a->value : b->value < a->value;                   \
        if (op == RR_REPLACE)                                                                      \
            set_##name(a, (int)b->value, b->index);                                                \
        else if (op != RR_NO_OP && (best || (b->value == a->value && first)))                      \
            set_##name(a, (int)b->value, b->index);                                                \
    }                                                                                              \
    CLASS(name, struct name, LOCATION, false, FEATURE)

#define IS_GREATER(a, b) ((a) > (b))
#define NEVER(a, b) false
#define REAL(name, T, FEATURE)                                                                     \
    SCALAR(name, T, "%Lg", long double)                                                            \
    FLOATING(name, T, ARITHMETIC | ORDER, IS_GREATER, FEATURE)

typedef float complex float_complex;
typedef double complex double_complex;
typedef long double complex long_double_complex;
#define COMPLEX(name, T, FEATURE)                                                                  \
    SCALAR(name, T, "%Lg (real part)", long double)                                                \
    FLOATING(name, T, ARITHMETIC, NEVER, FEATURE)

INTEGER(i8, int8_t, ARITHMETIC | ORDER | LOGICAL | BITWISE, true, -1)
INTEGER(i16, int16_t, ARITHMETIC | ORDER | LOGICAL | BITWISE, true, -1)
INTEGER(i32, int32_t, ARITHMETIC | ORDER | LOGICAL | BITWISE, true, -1)
INTEGER(i64, int64_t, ARITHMETIC | ORDER | LOGICAL | BITWISE, true, -1)
INTEGER(u8, uint8_t, ARITHMETIC | ORDER | LOGICAL | BITWISE, true, -1)
INTEGER(u16, uint16_t, ARITHMETIC | ORDER | LOGICAL | BITWISE, true, -1)
INTEGER(u32, uint32_t, ARITHMETIC | ORDER | LOGICAL | BITWISE, true, -1)
INTEGER(u64, uint64_t, ARITHMETIC | ORDER | LOGICAL | BITWISE, true, -1)
INTEGER(octet, uint8_t, BITWISE, true, -1)
INTEGER(letter, uint8_t, 0, false, -1)
INTEGER(truth, uint8_t, LOGICAL, true, RR_F_BOOL)
REAL(f32, float, -1)
REAL(f64, double, -1)
REAL(f80, long double, RR_F_LONG_DOUBLE)
COMPLEX(c32, float_complex, RR_F_COMPLEX)
COMPLEX(c64, double_complex, RR_F_COMPLEX)
COMPLEX(c80, long_double_complex, RR_F_LONG_DOUBLE)
PAIR(float_int, float, RR_F_PAIR)
PAIR(double_int, double, RR_F_PAIR)
PAIR(long_int, long, RR_F_PAIR)
PAIR(two_int, int, RR_F_PAIR)
PAIR(short_int, short, RR_F_SHORT_INT)
PAIR(long_double_int, long double, RR_F_LONG_DOUBLE)

#define ENTRY(NAME, name) {#NAME, NAME, &class_##name}

/** All predefined types that the features permit. @return how many */
int rr_basics(const struct rr_basic **all)
{
    static struct rr_basic allowed[RR_WIN_KINDS][64];
    static int found[RR_WIN_KINDS];
    int n = 0;
    const struct rr_basic table[] = {
        ENTRY(MPI_INT, i32),
        ENTRY(MPI_DOUBLE, f64),
        ENTRY(MPI_INT8_T, i8),
        ENTRY(MPI_INT16_T, i16),
        ENTRY(MPI_INT32_T, i32),
        ENTRY(MPI_INT64_T, i64),
        ENTRY(MPI_UINT8_T, u8),
        ENTRY(MPI_UINT16_T, u16),
        ENTRY(MPI_UINT32_T, u32),
        ENTRY(MPI_UINT64_T, u64),
        ENTRY(MPI_SIGNED_CHAR, i8),
        ENTRY(MPI_UNSIGNED_CHAR, u8),
        ENTRY(MPI_SHORT, i16),
        ENTRY(MPI_UNSIGNED_SHORT, u16),
        ENTRY(MPI_UNSIGNED, u32),
        ENTRY(MPI_LONG, i64),
        ENTRY(MPI_UNSIGNED_LONG, u64),
        ENTRY(MPI_LONG_LONG, i64),
        ENTRY(MPI_UNSIGNED_LONG_LONG, u64),
        ENTRY(MPI_AINT, i64),
        ENTRY(MPI_COUNT, i64),
        ENTRY(MPI_OFFSET, i64),
        ENTRY(MPI_FLOAT, f32),
        ENTRY(MPI_LONG_DOUBLE, f80),
        ENTRY(MPI_BYTE, octet),
        ENTRY(MPI_CHAR, letter),
        ENTRY(MPI_C_BOOL, truth),
        ENTRY(MPI_C_FLOAT_COMPLEX, c32),
        ENTRY(MPI_C_DOUBLE_COMPLEX, c64),
        ENTRY(MPI_C_LONG_DOUBLE_COMPLEX, c80),
        ENTRY(MPI_FLOAT_INT, float_int),
        ENTRY(MPI_DOUBLE_INT, double_int),
        ENTRY(MPI_LONG_INT, long_int),
        ENTRY(MPI_2INT, two_int),
        ENTRY(MPI_SHORT_INT, short_int),
        ENTRY(MPI_LONG_DOUBLE_INT, long_double_int),
    };
    *all = allowed[rnd_kind];
    for (size_t i = 0; i < sizeof table / sizeof *table && found[rnd_kind] == 0; i++)
        if (table[i].class->feature < 0 || rnd_has(table[i].class->feature))
            allowed[rnd_kind][n++] = table[i];
    found[rnd_kind] = found[rnd_kind] ? found[rnd_kind] : n;
    return found[rnd_kind];
}

MPI_Op rr_mpi_op(enum rr_op op)
{
    const MPI_Op ops[] = {MPI_SUM,    MPI_PROD,   MPI_MAX,     MPI_MIN,  MPI_LAND,
                          MPI_LOR,    MPI_LXOR,   MPI_BAND,    MPI_BOR,  MPI_BXOR,
                          MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};
    return ops[op];
}

const char *rr_op_name(enum rr_op op)
{
    static const char *const names[] = {"SUM",    "PROD",   "MAX",     "MIN",   "LAND",
                                        "LOR",    "LXOR",   "BAND",    "BOR",   "BXOR",
                                        "MAXLOC", "MINLOC", "REPLACE", "NO_OP", "CAS"};
    return names[op];
}

/**
 * The value of element `index` of an operation's data. Small, so that floating point is exact;
 * factors are positive: no negative zeros, of which MAX and MIN may take either.
 */
void rr_value(const struct rr_basic *basic, enum rr_op op, unsigned value, int index, void *p)
{
    struct rnd_rng rng = {value + (uint64_t)index * 0x10001u};
    bool flag = basic->class->ops == LOGICAL;
    int v = flag ? rnd_pick(&rng, 2) : op == RR_PROD ? rnd_between(&rng, 1, 2) : rnd_pick(&rng, 90);
    basic->class->set(p, v, rnd_pick(&rng, 1000));
}
