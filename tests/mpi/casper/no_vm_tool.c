// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// As in a container whose seccomp filter refuses it: Casper reaches no other process's memory. Preloaded before it, lent.c.
#include "vm_tool.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_refused(void)
{
    if (!vm_tool_by_libcasper("no_vm_tool"))
        return 0;
    errno = EPERM;
    return 1;
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *mine, unsigned long nmine,
                         const struct iovec *theirs, unsigned long ntheirs, unsigned long flags)
{
    if (is_refused())
        return -1;
    return syscall(SYS_process_vm_readv, pid, mine, nmine, theirs, ntheirs, flags);
}

ssize_t process_vm_writev(pid_t pid, const struct iovec *mine, unsigned long nmine,
                          const struct iovec *theirs, unsigned long ntheirs, unsigned long flags)
{
    if (is_refused())
        return -1;
    return syscall(SYS_process_vm_writev, pid, mine, nmine, theirs, ntheirs, flags);
}
