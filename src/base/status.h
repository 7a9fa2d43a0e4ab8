// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Status codes of the layers that know nothing of MPI. Any role, any thread.
#ifndef CSP_BASE_STATUS_H
#define CSP_BASE_STATUS_H

enum csp_status {
    CSP_OK = 0,
    CSP_ERR_ARG,   // the caller passed something out of range
    CSP_ERR_NOMEM, // no memory, no room in a segment
    CSP_ERR_PERM,  // the system refused access (ptrace scope, seccomp, ...)
    CSP_ERR_SYS,   // another system error; errno tells
    CSP_ERR_MPI,   // the MPI library returned an error; it was logged
};

// The function's result must not be dropped.
#define CSP_MUST_CHECK __attribute__((warn_unused_result))

/** English name of a status, for messages. */
const char *csp_status_string(enum csp_status status);

#endif
