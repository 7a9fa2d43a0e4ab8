// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Arithmetic of the predefined reduction operations on integers and floating-point numbers (MPI-4.1 6.9.2),
// with the widest vectors of the processor. Integers wrap around, as the processor's do; logical values
// are 0 and 1. Pure functions.
#ifndef CSP_DTYPE_COMPUTE_H
#define CSP_DTYPE_COMPUTE_H

#include <stddef.h>

enum csp_calc {
    CSP_CALC_SUM,
    CSP_CALC_PROD,
    CSP_CALC_MIN,
    CSP_CALC_MAX,
    CSP_CALC_LAND,
    CSP_CALC_LOR,
    CSP_CALC_LXOR,
    CSP_CALC_BAND,
    CSP_CALC_BOR,
    CSP_CALC_BXOR,
    CSP_CALCS
};

/** inout[i] = in[i] op inout[i] for n numbers, aligned or not; the arrays do not overlap. */
typedef void csp_compute_fn(const void *in, void *inout, size_t n);

/** For integers of 1, 2, 4 or 8 bytes; NULL for other sizes. */
csp_compute_fn *csp_compute_integer(int bytes, int is_signed, enum csp_calc calc);

/** For those of 4 and 8 bytes: SUM, PROD, MIN, MAX; else NULL. */
csp_compute_fn *csp_compute_float(int bytes, enum csp_calc calc);

#endif
