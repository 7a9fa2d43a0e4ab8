// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The type map, byte by byte: what a layout is compared with; and random types in both forms.
#ifndef CSP_TESTS_LAYOUT_REF_H
#define CSP_TESTS_LAYOUT_REF_H

#include "unit.h"
#include "dtype/layout.h"

struct ref {
    int64_t *off; // [size] where each byte of the packed stream lies
    int64_t size, lb, extent;
};

struct both {
    struct csp_layout *layout;
    struct ref ref;
};

/** A type of at most max_bytes bytes with nests of at most `depth`. */
struct both both_random(uint64_t *seed, int depth, int64_t max_bytes);

void both_free(struct both *b);

/** True bounds of n elements, {0, 0} without data. */
void ref_range(const struct ref *r, int64_t n, int64_t *lo, int64_t *hi);

/** Where byte i of the stream of many elements lies. */
int64_t ref_at(const struct ref *r, int64_t i);

#endif
