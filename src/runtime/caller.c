// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Finds the executable mapping of the MPI core library. Runs once, when the library is loaded.
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include "runtime/caller.h"

struct csp_text_range csp_text_mpi;

struct search {
    uintptr_t addr;
    uintptr_t lo, hi;
};

static int holds(const struct dl_phdr_info *info, const ElfW(Phdr) * ph, uintptr_t addr)
{
    uintptr_t start = info->dlpi_addr + ph->p_vaddr;
    return ph->p_type == PT_LOAD && addr - start < ph->p_memsz;
}

static int visit_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct search *s = arg;
    int found = 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        found |= holds(info, &info->dlpi_phdr[i], s->addr);
    for (int i = 0; found && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        uintptr_t lo = info->dlpi_addr + ph->p_vaddr, hi = lo + ph->p_memsz;
        if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
            continue;
        s->lo = s->hi && s->lo < lo ? s->lo : lo;
        s->hi = s->hi > hi ? s->hi : hi;
    }
    return found;
}

void csp_caller_set_mpi(const void *mpi_function)
{
    struct search s = {.addr = (uintptr_t)mpi_function};
    dl_iterate_phdr(visit_object, &s);
    csp_text_mpi = (struct csp_text_range){.lo = s.lo, .size = s.hi - s.lo};
}

int csp_caller_is_binding(const void *ra)
{
    static const struct {
        const char *name;
        int binding;
    } libraries[] = {{"libmpi_mpifh", CSP_BINDING_FORTRAN}, {"libmpi_usempi", CSP_BINDING_FORTRAN},
                     {"libmpifort", CSP_BINDING_FORTRAN},   {"libmpichfort", CSP_BINDING_FORTRAN},
                     {"libfmpich", CSP_BINDING_FORTRAN},    {"libmpichcxx", CSP_BINDING_CXX},
                     {"libmpicxx", CSP_BINDING_CXX},        {"libmpi_cxx", CSP_BINDING_CXX}};
    Dl_info info;
    if (!dladdr(ra, &info) || !info.dli_fname)
        return CSP_BINDING_NONE;
    const char *slash = strrchr(info.dli_fname, '/'), *name = slash ? slash + 1 : info.dli_fname;
    for (unsigned i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
        if (strncmp(name, libraries[i].name, strlen(libraries[i].name)) == 0)
            return libraries[i].binding;
    return CSP_BINDING_NONE;
}
