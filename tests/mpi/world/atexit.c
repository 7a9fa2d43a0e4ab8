// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Exit handlers and stdout: every rank prints one line after MPI_Init, one before the end and one
// from an exit handler, all through a buffer that is only flushed at exit. The counts are checked
// by tests/tools/test_processes.py.
#include "csp_test.h"

static void on_exit_of_program(void)
{
    printf("handler of rank %d\n", csp_test_rank);
}

int main(void)
{
    static char buffer[1 << 16];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    csp_test_init();
    atexit(on_exit_of_program);
    printf("hello from rank %d of %d\n", csp_test_rank, csp_test_size);
    int code = csp_test_done();
    printf("goodbye from rank %d\n", csp_test_rank);
    return code;
}
