// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The MPI library under us: one entry for each function that the build's probe found
// (csp_mpi_have.h), reached as csp_mpi.Send(...). All of Casper calls MPI through it and nothing
// else. Filled when libcasper is loaded, constant afterwards; any role, any thread.
#ifndef CSP_RUNTIME_MPI_TABLE_H
#define CSP_RUNTIME_MPI_TABLE_H

#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h> // MPIX_
#endif
#include "base/log.h"
#include "csp_mpi_have.h"

// Removed from MPI, so declared by no header, but still in the libraries.
typedef int csp_mpi_fn_Errhandler_create(MPI_Comm_errhandler_function *fn, MPI_Errhandler *errh);
typedef int csp_mpi_fn_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errh);
typedef int csp_mpi_fn_Errhandler_set(MPI_Comm comm, MPI_Errhandler errh);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
struct csp_mpi_table {
#define CSP_MPI_ENTRY(field, name) __typeof__(P##name) *field;
    CSP_MPI_EACH(CSP_MPI_ENTRY)
#undef CSP_MPI_ENTRY
#define CSP_MPI_ENTRY(field, name) csp_mpi_fn_##field *field;
    CSP_MPI_EACH_REMOVED(CSP_MPI_ENTRY)
#undef CSP_MPI_ENTRY
};
#pragma GCC diagnostic pop

extern CSP_INTERNAL struct csp_mpi_table csp_mpi; // the library's own functions (its PMPI_X)
extern CSP_INTERNAL struct csp_mpi_table
    csp_tool; // MPI_X of a PMPI tool loaded behind Casper; NULL without one

/**
 * Finds the MPI library and fills the tables. Runs by itself when libcasper is loaded; the
 * functions that a program may call before MPI_Init call it again, for programs that load the MPI
 * library late (dlopen). Entries without a function get one that says so. Idempotent, cheap when
 * done.
 * @return 1 if there is an MPI library of the kind this libcasper was built for.
 */
int csp_mpi_load(void);

/** Why csp_mpi_load returned 0, in words; empty if it did not. */
const char *csp_mpi_load_error(void);

/** The definition of a symbol behind Casper's own, looked up once for each `cache`. */
const void *csp_mpi_next(_Atomic(const void *) *cache, const char *symbol);

#endif
