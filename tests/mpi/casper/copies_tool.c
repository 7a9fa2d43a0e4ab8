// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Says on stderr, once a process, that libcasper has the system copy much between two processes: preloaded before it, p2p_mapped.c.
#include "vm_tool.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MUCH = 16384 };

static void note(ssize_t bytes)
{
    static atomic_int said;
    if (bytes >= MUCH && vm_tool_by_libcasper("copies_tool") && !atomic_exchange(&said, 1))
        fprintf(stderr, "copies_tool: %zd bytes copied by the system\n", bytes);
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *mine, unsigned long nmine,
                         const struct iovec *theirs, unsigned long ntheirs, unsigned long flags)
{
    ssize_t n = syscall(SYS_process_vm_readv, pid, mine, nmine, theirs, ntheirs, flags);
    note(n);
    return n;
}

ssize_t process_vm_writev(pid_t pid, const struct iovec *mine, unsigned long nmine,
                          const struct iovec *theirs, unsigned long ntheirs, unsigned long flags)
{
    ssize_t n = syscall(SYS_process_vm_writev, pid, mine, nmine, theirs, ntheirs, flags);
    note(n);
    return n;
}
