// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Numbers in files for machines have a decimal point, whatever locale the program has set. Any role, any thread.
#ifndef CSP_BASE_NUMERALS_H
#define CSP_BASE_NUMERALS_H

#include <locale.h>

/** From now on this thread prints numbers as C does. @return what it had before, for csp_numerals_end. */
locale_t csp_numerals_begin(void);

void csp_numerals_end(locale_t before);

#endif
