// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Memory of more than 2^31 bytes, with marks around the places where a count could wrap. Most of it is never written: the
// system shows one page of zeros everywhere.
#ifndef CSP_TEST_BEYOND_2G_H
#define CSP_TEST_BEYOND_2G_H

#include <sys/mman.h>
#include "csp_test.h"

enum { PAGE = 4096, PAGES = (1 << 19) + 2, MARKS = 5 };

static const size_t BYTES = (size_t)PAGE * PAGES, MIDDLE = (size_t)1 << 31;

static inline char *beyond_2g_memory(void)
{
    char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    CHECK(p != MAP_FAILED);
    return p;
}

static inline size_t beyond_2g_place(int i)
{
    const size_t places[MARKS] = {0, PAGE - 1, MIDDLE - 1, MIDDLE, BYTES - 1};
    return places[i];
}

static inline void beyond_2g_mark(char *p, int value)
{
    for (int i = 0; i < MARKS; i++)
        p[beyond_2g_place(i)] = (char)(value + i);
}

static inline void beyond_2g_check(const char *p, int value)
{
    long others = 0;
    for (int i = 0; i < MARKS; i++)
        CHECK_INT(p[beyond_2g_place(i)], value + i);
    for (size_t i = 1; i < BYTES; i += PAGE) // none of them is marked
        others += p[i] != 0;
    CHECK_INT(others, 0);
}

#endif
