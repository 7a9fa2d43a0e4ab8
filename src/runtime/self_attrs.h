// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Attributes that the program sets on MPI_COMM_SELF: their delete callbacks are how libraries clean up in MPI_Finalize
// (MPI-4.1 11.4.3), also where an open session keeps the MPI library alive behind it. User role, any thread.
#ifndef CSP_RUNTIME_SELF_ATTRS_H
#define CSP_RUNTIME_SELF_ATTRS_H

/** It was set, or set anew. */
void csp_self_attr_set(int keyval);

/** It was deleted. */
void csp_self_attr_gone(int keyval);

/** Deletes all, last set first. @return MPI error code of a callback, which ends it. */
int csp_self_attrs_delete(void);

#endif
