// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Changes of redirection: noted in the node segment, for the report and the trace. Any role, any thread.
#ifndef CSP_RUNTIME_CHANGES_H
#define CSP_RUNTIME_CHANGES_H

#include "trace/change.h"

/** Notes that it is now as `c` says; its time is filled in. */
void csp_change_note(struct csp_change c);

#endif
