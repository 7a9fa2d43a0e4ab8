// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Is the MPI library under us the one that this build was made for, and the only one? Any role, at
// init.
#ifndef CSP_RUNTIME_LIBCHECK_H
#define CSP_RUNTIME_LIBCHECK_H

/** Ends the process with a message if not; MPI need not be initialised. */
void csp_libcheck(void);

/** The path of the MPI library, if the loaded object `file` is not it but, say, a tool; else NULL. */
const char *csp_libcheck_behind(const char *file);

#endif
