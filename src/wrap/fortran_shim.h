// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What the Fortran parts share: communicators as integers, and the form of a shim.
#ifndef CSP_WRAP_FORTRAN_SHIM_H
#define CSP_WRAP_FORTRAN_SHIM_H

#include <stdatomic.h>
#include <stdint.h>
#include "runtime/self_attrs.h"
#include "wrap/wrap.h"

/** The integer of a communicator, by which the library's own Fortran knows it. */
static inline int csp_fortran_comm(MPI_Comm comm)
{
#ifdef OPEN_MPI
    return csp_mpi.Comm_c2f(comm);
#else
    if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF)
        return comm == MPI_COMM_WORLD ? 0x44000000 : 0x44000001; // MPICH's, whatever the ABI
#if CSP_HAVE_MPI_Comm_toint && defined(MPI_ABI)
    return csp_mpi.Comm_toint(comm);
#else
    return (int)(intptr_t)comm;
#endif
#endif
}

/** csp_hook_comm and csp_hook_program_comm for integers. */
static inline int csp_fortran_hook_comm(int comm)
{
    return csp_rt.active && comm == csp_fortran_comm(MPI_COMM_WORLD)
               ? csp_fortran_comm(csp_user_world)
               : comm;
}

static inline int csp_fortran_program_comm(int comm)
{
    return csp_rt.active && comm == csp_fortran_comm(csp_user_world)
               ? csp_fortran_comm(MPI_COMM_WORLD)
               : comm;
}

/** An attribute was set, if there was no error. */
static inline void csp_fortran_attr_set(int comm, int keyval, int error)
{
    if (error == MPI_SUCCESS && comm == csp_fortran_comm(MPI_COMM_SELF))
        csp_self_attr_set(keyval);
}

// A shim: `body`(next, arguments), next being the routine behind Casper.
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
