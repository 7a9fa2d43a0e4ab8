// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Form of a Fortran shim: `lower`(next, arguments) is the body, next the routine behind Casper.
#ifndef CSP_WRAP_FORTRAN_SHIM_H
#define CSP_WRAP_FORTRAN_SHIM_H

#include <stdatomic.h>
#include "wrap/wrap.h"

#define CSP_SHIM(body, symbol, params, ...)                                                        \
    CSP_EXPORT void symbol params;                                                                 \
    CSP_EXPORT void symbol params                                                                  \
    {                                                                                              \
        static _Atomic(const void *) cache;                                                        \
        body(csp_mpi_next(&cache, #symbol), __VA_ARGS__);                                          \
    }

// Every mangling, MPI and PMPI, and the routine that mpi_f08 calls.
#define CSP_SHIMS(lower, UPPER, params, ...)                                                       \
    CSP_SHIM(lower, mpi_##lower##_, params, __VA_ARGS__)                                           \
    CSP_SHIM(lower, mpi_##lower##__, params, __VA_ARGS__)                                          \
    CSP_SHIM(lower, mpi_##lower, params, __VA_ARGS__)                                              \
    CSP_SHIM(lower, MPI_##UPPER, params, __VA_ARGS__)                                              \
    CSP_SHIM(lower, pmpi_##lower##_, params, __VA_ARGS__)                                          \
    CSP_SHIM(lower, pmpi_##lower##__, params, __VA_ARGS__)                                         \
    CSP_SHIM(lower, pmpi_##lower, params, __VA_ARGS__)                                             \
    CSP_SHIM(lower, PMPI_##UPPER, params, __VA_ARGS__)                                             \
    CSP_SHIM(lower, ompi_##lower##_f, params, __VA_ARGS__)

#endif
