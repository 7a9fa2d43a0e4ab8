// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Handles and ids, as numbers, to places in a table.
#ifndef CSP_BASE_HASH_H
#define CSP_BASE_HASH_H

#include <stdint.h>

/** A number of `bits` bits, 1 to 32, from a key: the upper ones of a product (Fibonacci hashing). */
static inline unsigned csp_hash(uint64_t key, int bits)
{
    return (unsigned)((key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - bits));
}

#endif
