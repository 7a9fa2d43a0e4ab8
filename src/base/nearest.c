// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "base/nearest.h"

#include <ctype.h>

enum { MAX = 63 }; // longest name compared

static unsigned min2(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static int same(char a, char b)
{
    return toupper((unsigned char)a) == toupper((unsigned char)b);
}

// Optimal string alignment: rows i-2, i-1 and i of the table are kept.
unsigned csp_nearest_distance(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    unsigned rows[3][MAX + 1];
    size_t na = a_bytes < MAX ? a_bytes : MAX, nb = b_bytes < MAX ? b_bytes : MAX;
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            row[j] = min2(min2(up[j], row[j - 1]) + 1, up[j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = min2(row[j], up2[j - 2] + 1);
        }
    }
    return rows[na % 3][nb];
}
