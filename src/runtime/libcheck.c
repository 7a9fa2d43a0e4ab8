// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A library preloaded into a program of another MPI would hand one library's handles to the other.
// Seen by the names of the loaded objects, which links may have given another library, and by those that objects
// give themselves, before anything is initialised. An older release may have the same name:
// it says so itself.
#include "runtime/libcheck.h"

#include <link.h>
#include <stdlib.h>
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

static const ElfW(Dyn) * dynamic_of(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr); // NOLINT
    return NULL;
}

// What an object calls itself; NULL: nothing.
static const char *soname_of(const struct dl_phdr_info *info)
{
    ElfW(Addr) strings = 0, at = 0;
    const ElfW(Dyn) *d = dynamic_of(info);
    for (; d && d->d_tag != DT_NULL; d++) {
        strings = d->d_tag == DT_STRTAB ? d->d_un.d_ptr : strings;
        at = d->d_tag == DT_SONAME ? d->d_un.d_val : at;
    }
    if (strings < info->dlpi_addr) // not relocated by this loader
        strings += info->dlpi_addr;
    return at ? (const char *)(strings + at) : NULL; // NOLINT
}

// By itself, else by its file.
static const char *name_of(const struct dl_phdr_info *info)
{
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *soname = slash ? soname_of(info) : NULL; // neither the program nor the kernel's
    if (soname)
        return soname;
    return slash ? slash + 1 : info->dlpi_name;
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    struct found *f = data;
    const char *base = name_of(info);
    (void)size;
    if (strncmp(base, CSP_MPI_SONAME, strlen(CSP_MPI_SONAME)) == 0)
        f->wanted = 1;
    else if (is_mpi_core(base))
        f->other = info->dlpi_name;
    return 0;
}

struct owner {
    const char *file;
    int is_core;      // it is the MPI library
    const char *core; // the MPI library's path
};

static int look_for_owner(struct dl_phdr_info *info, size_t size, void *data)
{
    struct owner *o = data;
    (void)size;
    if (is_mpi_core(name_of(info))) {
        o->core = info->dlpi_name;
        o->is_core |= strcmp(info->dlpi_name, o->file) == 0;
    }
    return 0;
}

const char *csp_libcheck_behind(const char *file)
{
    struct owner o = {.file = file};
    dl_iterate_phdr(look_for_owner, &o);
    return o.is_core ? NULL : o.core;
}

// The major release that this library was built for, and what its text is behind; NULL: there is none to compare.
#if defined(OMPI_MAJOR_VERSION)
static const char *const RELEASE = "Open MPI v";
enum { MAJOR = OMPI_MAJOR_VERSION };
#elif defined(MPICH_NUMVERSION)
static const char *const RELEASE = "MPICH Version:";
enum { MAJOR = MPICH_NUMVERSION / 10000000 };
#else
static const char *const RELEASE;
enum { MAJOR };
#endif

// One that is older lacks functions; of a newer one Casper would miss functions, which show the ghosts.
static void check_release(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int len = 0;
    if (!RELEASE || csp_mpi.Get_library_version(text, &len) != MPI_SUCCESS)
        return;
    const char *release = strstr(text, RELEASE);
    int major = release ? (int)strtol(release + strlen(RELEASE), NULL, 10) : MAJOR;
    if (major == MAJOR)
        return;
    csp_error("this libcasper was built for release %d of the MPI library, but the program uses "
              "release %d; preload the "
              "build for that one (`casper run` finds it)",
              MAJOR, major);
    _exit(1);
}

void csp_libcheck(void)
{
    struct found f = {0};
    dl_iterate_phdr(look, &f);
    if (f.wanted && !f.other) {
        check_release();
        return;
    }
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
