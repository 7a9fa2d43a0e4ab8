// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Did this call come from the program, or from inside the MPI library (or Casper itself)? Decided by
// the return address, see docs/design/wrappers.md. Any role, any thread.
#ifndef CSP_RUNTIME_CALLER_H
#define CSP_RUNTIME_CALLER_H

#include <stdint.h>
#include "base/log.h"

struct csp_text_range {
    uintptr_t lo, hi; // executable mapping [lo, hi)
};
extern struct csp_text_range csp_text_mpi, csp_text_self; // set once when the library is loaded

static inline int csp_caller_is_mpi(const void *ra)
{
    uintptr_t a = (uintptr_t)ra;
    return a - csp_text_mpi.lo < csp_text_mpi.hi - csp_text_mpi.lo ||
           a - csp_text_self.lo < csp_text_self.hi - csp_text_self.lo;
}

#define CSP_RA __builtin_return_address(0)

#endif
