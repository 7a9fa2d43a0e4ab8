// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "base/numerals.h"

#include <stddef.h>

locale_t csp_numerals_begin(void)
{
    static locale_t plain; // kept
    if (!plain)
        plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    return uselocale(plain); // without one: what it has now
}

void csp_numerals_end(locale_t before)
{
    uselocale(before);
}
