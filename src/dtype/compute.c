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

#define DEFINE(name, suffix, type, result)                                                         \
    static void name##_##suffix(const void *in, void *inout, size_t n)                             \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            type a, b;                                                                             \
            memcpy(&a, (const char *)in + i * sizeof(a), sizeof(a));                               \
            memcpy(&b, (char *)inout + i * sizeof(b), sizeof(b));                                  \
            b = result;                                                                            \
            memcpy((char *)inout + i * sizeof(b), &b, sizeof(b));                                  \
        }                                                                                          \
    }
#define NAME(name, suffix, type, result) name##_##suffix,
#define ROW(CALC, suffix, type, wide) {EACH_CALC(CALC, suffix, type, wide)},

#define ALL(CALC, suffix, type, wide) EACH_CALC(CALC, suffix, type, wide)
EACH_TYPE(ALL, DEFINE)

csp_compute_fn *csp_compute_integer(int bytes, int is_signed, enum csp_calc calc)
{
    static csp_compute_fn *const all[][CSP_CALCS] = {EACH_TYPE(ROW, NAME)};
    int width = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : -1;
    return width < 0 || calc >= CSP_CALCS ? NULL : all[2 * width + !is_signed][calc];
}
