// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Standard input for user rank 0.
#ifndef CSP_RUNTIME_STDIN_H
#define CSP_RUNTIME_STDIN_H

/** User rank 0 takes the standard input of rank 0 of the real world, a ghost, if its own gives nothing. Both call it. */
void csp_stdin_pass(void);

#endif
