// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Room for buffered sends. User role, any thread.
#ifndef CSP_P2P_BUFFER_H
#define CSP_P2P_BUFFER_H

#include <stdint.h>

/** Whether a buffered send of so many bytes has room in what the program attached. What else is in there does not count. */
int csp_buffer_fits(int64_t bytes);

#endif
