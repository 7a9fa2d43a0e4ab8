// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// For tools that stand in for process_vm_readv and process_vm_writev. MPI libraries may call them, too.
#ifndef CSP_TEST_VM_TOOL_H
#define CSP_TEST_VM_TOOL_H

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>
#include <sys/uio.h>

#define API __attribute__((visibility("default")))

API ssize_t process_vm_readv(pid_t pid, const struct iovec *mine, unsigned long nmine,
                             const struct iovec *theirs, unsigned long ntheirs,
                             unsigned long flags);
API ssize_t process_vm_writev(pid_t pid, const struct iovec *mine, unsigned long nmine,
                              const struct iovec *theirs, unsigned long ntheirs,
                              unsigned long flags);

/** Whether libcasper is the nearest caller but for the tool, with this name, and a sanitizer, whose function may stand between. */
static inline int vm_tool_by_libcasper(const char *tool)
{
    void *frames[8];
    Dl_info where;
    int n = backtrace(frames, 8);
    for (int i = 0; i < n && dladdr(frames[i], &where); i++)
        if (!strstr(where.dli_fname, tool) && !strstr(where.dli_fname, "libasan"))
            return strstr(where.dli_fname, "libcasper") != NULL;
    return 0;
}

#endif
