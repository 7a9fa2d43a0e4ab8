// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Preloaded by tests/support/sanitize.py: reports leaks when a process ends, users after the program's
// exit handlers, ghosts where they leave by _exit, without any. Without an influence on the exit code:
// MPI libraries leak, and what is Casper's is told from the stacks.
#include <sanitizer/lsan_interface.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((destructor)) static void look(void)
{
    __lsan_do_recoverable_leak_check();
}

void _exit(int status)
{
    if (status == 0)
        look();
    for (;;)
        syscall(SYS_exit_group, status);
}
