// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "dtype/compute.h"

#include <stdint.h>
#include <string.h>

// Sums and products in the unsigned type: they wrap around instead of being undefined.
#define EACH_CALC(X, suffix, type, wide)                                                           \
    X(sum, suffix, type, (type)((wide)a + (wide)b))                                                \
    X(prod, suffix, type, (type)((wide)a * (wide)b))                                               \
    X(min, suffix, type, a < b ? a : b)                                                            \
    X(max, suffix, type, a > b ? a : b)                                                            \
    X(land, suffix, type, (type)(a && b))                                                          \
    X(lor, suffix, type, (type)(a || b))                                                           \
    X(lxor, suffix, type, (type)(!a != !b))                                                        \
    X(band, suffix, type, (type)(a & b))                                                           \
    X(bor, suffix, type, (type)(a | b))                                                            \
    X(bxor, suffix, type, (type)(a ^ b))

// `wide`: unsigned and at least as wide as unsigned int, for narrower ones would become int.
#define EACH_TYPE(X, CALC)                                                                         \
    X(CALC, s8, int8_t, uint32_t)                                                                  \
    X(CALC, u8, uint8_t, uint32_t)                                                                 \
    X(CALC, s16, int16_t, uint32_t)                                                                \
    X(CALC, u16, uint16_t, uint32_t)                                                               \
    X(CALC, s32, int32_t, uint32_t)                                                                \
    X(CALC, u32, uint32_t, uint32_t)                                                               \
    X(CALC, s64, int64_t, uint64_t)                                                                \
    X(CALC, u64, uint64_t, uint64_t)

// What floating-point numbers have. MIN and MAX of a NaN are one of the two.
#define EACH_FLOAT_CALC(X, suffix, type)                                                           \
    X(sum, suffix, type, a + b)                                                                    \
    X(prod, suffix, type, a *b)                                                                    \
    X(min, suffix, type, a < b ? a : b)                                                            \
    X(max, suffix, type, a > b ? a : b)

#define DEFINE(target, set, name, suffix, type, result)                                            \
    target static void set##name##_##suffix(const void *in, void *inout, size_t n)                 \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            type a, b;                                                                             \
            memcpy(&a, (const char *)in + i * sizeof(a), sizeof(a));                               \
            memcpy(&b, (char *)inout + i * sizeof(b), sizeof(b));                                  \
            b = result;                                                                            \
            memcpy((char *)inout + i * sizeof(b), &b, sizeof(b));                                  \
        }                                                                                          \
    }
#define ALL(CALC, suffix, type, wide) EACH_CALC(CALC, suffix, type, wide)
#define INTEGER_ROW(CALC, suffix, type, wide) {EACH_CALC(CALC, suffix, type, wide)},
#define FLOAT_ROW(CALC, suffix, type) {EACH_FLOAT_CALC(CALC, suffix, type)},

struct set {
    csp_compute_fn *integers[8][CSP_CALCS], *floats[2][CSP_CALCS];
};

// For any processor.
#define DEFINE_ANY(name, suffix, type, result) DEFINE(, any_, name, suffix, type, result)
#define NAME_ANY(name, suffix, type, result) any_##name##_##suffix,
EACH_TYPE(ALL, DEFINE_ANY)
EACH_FLOAT_CALC(DEFINE_ANY, f32, float)
EACH_FLOAT_CALC(DEFINE_ANY, f64, double)
static const struct set any = {
    {EACH_TYPE(INTEGER_ROW, NAME_ANY)},
    {FLOAT_ROW(NAME_ANY, f32, float) FLOAT_ROW(NAME_ANY, f64, double)},
};

// The same with vectors twice as wide. Without FMA: results are those of the others.
#ifdef __x86_64__
#define DEFINE_AVX2(name, suffix, type, result)                                                    \
    DEFINE(__attribute__((target("avx2"))), avx2_, name, suffix, type, result)
#define NAME_AVX2(name, suffix, type, result) avx2_##name##_##suffix,
EACH_TYPE(ALL, DEFINE_AVX2)
EACH_FLOAT_CALC(DEFINE_AVX2, f32, float)
EACH_FLOAT_CALC(DEFINE_AVX2, f64, double)
static const struct set avx2 = {
    {EACH_TYPE(INTEGER_ROW, NAME_AVX2)},
    {FLOAT_ROW(NAME_AVX2, f32, float) FLOAT_ROW(NAME_AVX2, f64, double)},
};

static const struct set *best(void)
{
    return __builtin_cpu_supports("avx2") ? &avx2 : &any;
}
#else
static const struct set *best(void)
{
    return &any;
}
#endif

csp_compute_fn *csp_compute_integer(int bytes, int is_signed, enum csp_calc calc)
{
    int width = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : -1;
    return width < 0 || calc >= CSP_CALCS ? NULL : best()->integers[2 * width + !is_signed][calc];
}

csp_compute_fn *csp_compute_float(int bytes, enum csp_calc calc)
{
    int width = bytes == sizeof(float) ? 0 : bytes == sizeof(double) ? 1 : -1;
    return width < 0 || calc >= CSP_CALCS ? NULL : best()->floats[width][calc];
}
