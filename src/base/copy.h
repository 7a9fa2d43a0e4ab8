// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Copies between memory that other processes may look at.
#ifndef CSP_BASE_COPY_H
#define CSP_BASE_COPY_H

#include <string.h>

/** One element at once: a reader of an aligned 8-byte word sees the old or the new one. */
static inline void csp_copy_bytes(void *to, const void *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else
        memmove(to, from, bytes);
}

#endif
