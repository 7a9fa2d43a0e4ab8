// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A library preloaded into a program of another MPI would hand one library's handles to the other.
// Seen by the names of the loaded objects, before anything is initialised.
#include "runtime/libcheck.h"

#include <link.h>
#include <string.h>
#include <unistd.h>
#include "runtime/rt.h"

#ifndef CSP_MPI_SONAME
#error "the build must define CSP_MPI_SONAME, the MPI library's SONAME"
#endif

struct found {
    int wanted;        // the library we were built for is loaded
    const char *other; // another MPI library is loaded
};

static int is_mpi_core(const char *base)
{
    static const char *const names[] = {"libmpi.so.", "libmpich.so.", "libmpi_abi.so."};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncmp(base, names[i], strlen(names[i])) == 0)
            return 1;
    return 0;
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    struct found *f = data;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *base = slash ? slash + 1 : info->dlpi_name;
    (void)size;
    if (strncmp(base, CSP_MPI_SONAME, strlen(CSP_MPI_SONAME)) == 0)
        f->wanted = 1;
    else if (is_mpi_core(base))
        f->other = info->dlpi_name;
    return 0;
}

void csp_libcheck(void)
{
    struct found f = {0};
    dl_iterate_phdr(look, &f);
    if (f.wanted && !f.other)
        return;
    if (f.other)
        csp_error(
            "this libcasper was built for %s, but the program uses %s; preload the build for that "
            "library (`casper run` finds it)",
            CSP_MPI_SONAME, f.other);
    else
        csp_error("this libcasper was built for %s, which the program has not loaded",
                  CSP_MPI_SONAME);
    _exit(1);
}
