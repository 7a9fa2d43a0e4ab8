// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Subarrays and distributed arrays (MPI-4.1 5.1.3, 5.1.4) as nests of loops. Arrays of one number for
// each dimension, in the program's order.
#ifndef CSP_TYPES_ARRAY_H
#define CSP_TYPES_ARRAY_H

#include "dtype/layout.h"

struct csp_subarray {
    int64_t dims;
    const int64_t *sizes, *subsizes, *starts;
    int fortran; // the first dimension is the fastest, not the last
};

struct csp_darray {
    int64_t procs, rank, dims;
    const int64_t *sizes, *distribs, *args, *grid;
    int fortran;
};

/** The part of the array of `child` elements; bounds are the caller's. */
CSP_MUST_CHECK enum csp_status csp_array_sub(const struct csp_subarray *a,
                                             const struct csp_layout *child,
                                             struct csp_layout **out);
CSP_MUST_CHECK enum csp_status
csp_array_dist(const struct csp_darray *a, const struct csp_layout *child, struct csp_layout **out);

#endif
