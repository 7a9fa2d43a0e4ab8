// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// What Casper keeps for windows, measured for the report: as many as there are at a time. Any role,
// any thread. docs/design/memory.md has the formulas.
#ifndef CSP_RUNTIME_META_H
#define CSP_RUNTIME_META_H

#include <stddef.h>
#include "runtime/stats.h"

/** Counts `n` more (or fewer) of something, and the most that there ever was. */
void csp_meta_count(enum csp_meta_kind kind, long long n);

/** Zeroed memory of `kind` (a kind of bytes), counted as the C library gives it out. Dies without. */
void *csp_meta_alloc(enum csp_meta_kind kind, size_t bytes);
void csp_meta_free(enum csp_meta_kind kind, void *p);

#endif
