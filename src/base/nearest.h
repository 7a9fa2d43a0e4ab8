// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Which name did the user mean? Any role, any thread; used for messages only.
#ifndef CSP_BASE_NEAREST_H
#define CSP_BASE_NEAREST_H

#include <stddef.h>

/**
 * Edits (insert, delete, replace, swap of neighbours; case does not count) that turn `a`, `a_bytes`
 * long, into `b`, `b_bytes` long. Only the first 63 characters of each are looked at.
 */
unsigned csp_nearest_distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes);

#endif
