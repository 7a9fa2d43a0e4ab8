// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The end of Casper, hung on MPI_COMM_SELF: the library calls it first thing in MPI_Finalize, after
// the program's own attributes of MPI_COMM_SELF (they are deleted in the reverse order of their
// setting), while MPI, the user world and the ghosts still work. Any role.
#ifndef CSP_RUNTIME_FINALIZE_H
#define CSP_RUNTIME_FINALIZE_H

/** Arms it, and the check for exit without MPI_Finalize. */
void csp_finalize_arm(void);

#endif
