// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "unit.h"
#include "dtype/compute.h"

#include <string.h>

// The value of an integer of some bytes, and back, by arithmetic in 64 bits.
static int64_t value_of(const unsigned char *at, int bytes, int is_signed)
{
    uint64_t v = 0;
    memcpy(&v, at, (size_t)bytes);
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return is_signed ? (int64_t)((v ^ sign) - sign) : (int64_t)v;
}

static int less(int64_t a, int64_t b, int is_signed)
{
    return is_signed ? a < b : (uint64_t)a < (uint64_t)b;
}

static uint64_t expected(enum csp_calc calc, int64_t a, int64_t b, int is_signed)
{
    switch (calc) {
    case CSP_CALC_SUM:
        return (uint64_t)a + (uint64_t)b;
    case CSP_CALC_PROD:
        return (uint64_t)a * (uint64_t)b;
    case CSP_CALC_MIN:
        return (uint64_t)(less(a, b, is_signed) ? a : b);
    case CSP_CALC_MAX:
        return (uint64_t)(less(a, b, is_signed) ? b : a);
    case CSP_CALC_LAND:
        return a != 0 && b != 0;
    case CSP_CALC_LOR:
        return a != 0 || b != 0;
    case CSP_CALC_LXOR:
        return (a != 0) != (b != 0);
    case CSP_CALC_BAND:
        return (uint64_t)(a & b);
    case CSP_CALC_BOR:
        return (uint64_t)(a | b);
    default:
        return (uint64_t)(a ^ b);
    }
}

enum { N = 257 }; // elements, at odd addresses

static void check(enum csp_calc calc, int bytes, int is_signed, uint64_t *seed)
{
    unsigned char in[N * 8 + 1], inout[N * 8 + 1], before[N * 8 + 1];
    for (size_t i = 0; i < sizeof(in); i++) {
        uint64_t r = unit_random(seed);
        in[i] = r & 0x300 ? (unsigned char)r : 0; // zeros too
        inout[i] = r & 0xc00 ? (unsigned char)(r >> 16) : 0;
    }
    memcpy(before, inout, sizeof(inout));
    csp_compute_integer(bytes, is_signed, calc)(in + 1, inout + 1, N);
    assert_int_equal(inout[0], before[0]);
    for (int i = 0; i < N; i++) {
        int at = 1 + i * bytes;
        uint64_t want = expected(calc, value_of(in + at, bytes, is_signed),
                                 value_of(before + at, bytes, is_signed), is_signed);
        assert_memory_equal(inout + at, &want, (size_t)bytes); // little endian: the low bytes
    }
}

static void all_operations_on_all_integers(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int bytes = 1; bytes <= 8; bytes *= 2)
        for (int is_signed = 0; is_signed < 2; is_signed++)
            for (int calc = 0; calc < CSP_CALCS; calc++)
                check((enum csp_calc)calc, bytes, is_signed, &seed);
}

static double expected_float(enum csp_calc calc, double a, double b)
{
    switch (calc) {
    case CSP_CALC_SUM:
        return a + b;
    case CSP_CALC_PROD:
        return a * b;
    case CSP_CALC_MIN:
        return a < b ? a : b;
    default:
        return a > b ? a : b;
    }
}

// Of a few digits: results are exact in float, too, whose operands a double holds.
static void all_operations_on_floats(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int calc = CSP_CALC_SUM; calc <= CSP_CALC_MAX; calc++) {
        char in[N * 8 + 1], inout[N * 8 + 1];
        double a[N], b[N];
        for (int bytes = 4; bytes <= 8; bytes += 4) {
            for (int i = 0; i < N; i++) {
                a[i] = (double)(unit_random(&seed) % 2000) / 8 - 100;
                b[i] = (double)(unit_random(&seed) % 2000) / 4 - 100;
                float narrow[] = {(float)a[i], (float)b[i]};
                memcpy(in + 1 + i * bytes, bytes == 8 ? (void *)&a[i] : &narrow[0], (size_t)bytes);
                memcpy(inout + 1 + i * bytes, bytes == 8 ? (void *)&b[i] : &narrow[1],
                       (size_t)bytes);
            }
            csp_compute_float(bytes, (enum csp_calc)calc)(in + 1, inout + 1, N);
            for (int i = 0; i < N; i++) {
                double want = expected_float((enum csp_calc)calc, a[i], b[i]);
                float narrow = (float)want;
                assert_memory_equal(inout + 1 + i * bytes, bytes == 8 ? (void *)&want : &narrow,
                                    (size_t)bytes);
            }
        }
    }
}

static void others_are_refused(void **state)
{
    (void)state;
    assert_null(csp_compute_integer(3, 1, CSP_CALC_SUM));
    assert_null(csp_compute_integer(16, 1, CSP_CALC_SUM));
    assert_null(csp_compute_integer(4, 1, CSP_CALCS));
    assert_null(csp_compute_float(16, CSP_CALC_SUM));
    assert_null(csp_compute_float(8, CSP_CALC_BAND));
    assert_null(csp_compute_float(8, CSP_CALCS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_operations_on_all_integers),
        cmocka_unit_test(all_operations_on_floats),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
