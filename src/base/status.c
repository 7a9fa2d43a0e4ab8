// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "base/status.h"

const char *csp_status_string(enum csp_status status)
{
    switch (status) {
    case CSP_OK:
        return "success";
    case CSP_ERR_ARG:
        return "argument out of range";
    case CSP_ERR_NOMEM:
        return "out of memory";
    case CSP_ERR_PERM:
        return "refused by the system";
    case CSP_ERR_SYS:
        return "system error";
    case CSP_ERR_MPI:
        return "error of the MPI library";
    }
    return "unknown status";
}
