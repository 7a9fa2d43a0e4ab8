// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A program that sets a locale in which numbers have a comma. Run by tests/tools/test_trace.py, which reads the report and the
// trace; its numbers are the program's own business before and after MPI.
#include <locale.h>
#include "../csp_test.h"

static void check_own(int comma)
{
    char text[16];
    snprintf(text, sizeof text, "%.1f", 0.5);
    CHECK_STR(text, comma ? "0,5" : "0.5");
}

int main(int argc, char **argv)
{
    int comma = argc > 1 && strcmp(argv[1], "comma") == 0;
    setlocale(LC_ALL, "");
    csp_test_init();
    check_own(comma);
    for (int i = 0; i < 100; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    int code = csp_test_done();
    check_own(comma);
    return code || atomic_load(&csp_test_errors);
}
