// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Did this call come from the program, or from inside the MPI library? Decided by the return
// address, see docs/design/wrappers.md. Casper's own text counts as the program: Casper itself
// calls only the table, so it is on the stack there only when a tool or a callback made a tail
// call. Any role, any thread.
#ifndef CSP_RUNTIME_CALLER_H
#define CSP_RUNTIME_CALLER_H

#include <stdint.h>
#include "base/log.h"

struct csp_text_range {
    uintptr_t lo, size; // executable mapping
};
extern CSP_INTERNAL struct csp_text_range
    csp_text_mpi; // of the object with the real PMPI_Init; set once at load

static inline int csp_caller_is_mpi(const void *ra)
{
    return (uintptr_t)ra - csp_text_mpi.lo < csp_text_mpi.size;
}

enum { CSP_BINDING_NONE, CSP_BINDING_FORTRAN, CSP_BINDING_CXX };
/**
 * Whether the call comes from a library that binds another language to MPI: the callbacks that it
 * passes on need not have the C form. Slow (dladdr): for calls that are rare.
 */
int csp_caller_is_binding(const void *ra);

/** Takes the text of the object that holds this function as the MPI library's. */
void csp_caller_set_mpi(const void *mpi_function);

#define CSP_RA __builtin_return_address(0)

#endif
