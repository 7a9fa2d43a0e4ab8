// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Fills csp_mpi and csp_tool when the library is loaded. Any role. Only the constructor and the
// first MPI call of a program that loaded MPI by dlopen write here, before any thread can be in
// MPI.
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "runtime/caller.h"
#include "runtime/detours.h"
#include "runtime/libcheck.h"
#include "runtime/mpi_table.h"
#include "runtime/rt.h"

struct csp_mpi_table csp_mpi, csp_tool;
static struct {
    __typeof__(csp_tool.Init) Init;
    __typeof__(csp_tool.Init_thread) Init_thread;
} behind; // of the tool

static int loaded;
static char load_error[512] = "no MPI library is loaded";

#define TABLE_LENGTH (sizeof(struct csp_mpi_table) / sizeof(void *))
_Static_assert(sizeof(void (*)(void)) == sizeof(void *), "function pointers fit into void *");

// PMPI_X of every entry, in order.
static const char *const names[TABLE_LENGTH] = {
#define CSP_MPI_ENTRY(field, name) "P" #name,
    CSP_MPI_EACH(CSP_MPI_ENTRY) CSP_MPI_EACH_REMOVED(CSP_MPI_ENTRY)
#undef CSP_MPI_ENTRY
};

// What an entry holds that the library lacks.
static int missing(const char *name)
{
    if (loaded) {
        csp_error("%s is called, but the MPI library has no such function", name);
        return MPI_ERR_OTHER;
    }
    csp_error("%s is called, but %s", name, load_error);
    _exit(1);
}

#define CSP_MPI_ENTRY(field, name)                                                                 \
    static int missing_##field(void)                                                               \
    {                                                                                              \
        return missing(#name);                                                                     \
    }
CSP_MPI_EACH(CSP_MPI_ENTRY)
CSP_MPI_EACH_REMOVED(CSP_MPI_ENTRY)
#undef CSP_MPI_ENTRY

static int (*const missing_entries[TABLE_LENGTH])(void) = {
#define CSP_MPI_ENTRY(field, name) missing_##field,
    CSP_MPI_EACH(CSP_MPI_ENTRY) CSP_MPI_EACH_REMOVED(CSP_MPI_ENTRY)
#undef CSP_MPI_ENTRY
};

static void table_set(struct csp_mpi_table *table, size_t i, const void *entry)
{
    memcpy((char *)table + i * sizeof(void *), &entry, sizeof(void *));
}

// The object (executable or library) that holds an address; NULL if unknown.
static const void *object_of(const void *addr)
{
    Dl_info info;
    return addr && dladdr(addr, &info) ? info.dli_fbase : NULL;
}

struct object_list {
    size_t count, size;
    char **paths;
};

static int collect_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct object_list *list = arg;
    (void)size;
    if (!info->dlpi_name || !info->dlpi_name[0])
        return 0;
    if (list->count == list->size) {
        size_t room = list->size ? 2 * list->size : 64;
        char **paths = realloc(list->paths, room * sizeof(*paths));
        if (!paths)
            return 1;
        list->paths = paths;
        list->size = room;
    }
    list->paths[list->count] = strdup(info->dlpi_name);
    return list->paths[list->count] ? (int)(0 * ++list->count) : 1;
}

// A loaded object that defines a symbol and is not Casper, for programs whose MPI library is not in
// the global scope (a plugin loaded with RTLD_LOCAL, an interpreter's extension module).
static void *find_local_library(const char *symbol)
{
    struct object_list list = {0};
    const void *self = object_of(&csp_mpi);
    void *found = NULL;
    dl_iterate_phdr(collect_object, &list);
    for (size_t i = 0; i < list.count; i++) {
        void *handle = found ? NULL : dlopen(list.paths[i], RTLD_LAZY | RTLD_NOLOAD);
        const void *object = handle ? object_of(dlsym(handle, symbol)) : NULL;
        if (object && object != self)
            found = handle;
        else if (handle)
            dlclose(handle);
        free(list.paths[i]);
    }
    free(list.paths);
    return found;
}

const void *csp_mpi_next(_Atomic(const void *) *cache, const char *symbol)
{
    const void *next = atomic_load_explicit(cache, memory_order_relaxed);
    if (next)
        return next;
    next = dlsym(RTLD_NEXT, symbol);
    void *library = next ? NULL : find_local_library(symbol);
    if (library)
        next = dlsym(library, symbol);
    CSP_CHECK(next, "%s is called, but the MPI library has no such function", symbol);
    atomic_store_explicit(cache, next, memory_order_relaxed); // all threads find the same
    return next;
}

// Kinds of MPI libraries by the layout of their handles.
#if defined(OPEN_MPI)
#define BUILT_FOR "Open MPI"
#elif defined(MPI_ABI) || defined(MPI_H_ABI)
#define BUILT_FOR "the MPI standard ABI"
#else
#define BUILT_FOR "MPICH"
#endif

static const char *library_kind(const void *init, const char *path)
{
    const void *base = object_of(init);
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    const void *ompi = handle ? dlsym(handle, "ompi_mpi_comm_world") : NULL;
    int is_ompi = ompi && object_of(ompi) == base;
    const char *file = strrchr(path, '/');
    if (handle)
        dlclose(handle);
    if (is_ompi)
        return "Open MPI";
    return strstr(file ? file : path, "mpi_abi") ? "the MPI standard ABI" : "MPICH";
}

static int check_library(const void *init)
{
    Dl_info info;
    if (!init || !dladdr(init, &info) || !info.dli_fname)
        return 0;
    const char *mpi = csp_libcheck_behind(info.dli_fname);
    if (mpi) {
        snprintf(
            load_error, sizeof(load_error),
            "the next PMPI_Init behind libcasper is that of a tool, %s, which would call %s past "
            "Casper; name the tool before libcasper in LD_PRELOAD, as casper run --env "
            "LD_PRELOAD=... does",
            info.dli_fname, mpi);
        return 0;
    }
    const char *kind = library_kind(init, info.dli_fname);
    if (strcmp(kind, BUILT_FOR) == 0)
        return 1;
    Dl_info self = {0};
    dladdr(&csp_mpi, &self);
    snprintf(
        load_error, sizeof(load_error),
        "%s is a Casper built for %s and the program runs on %s (%s); load the build for that one",
        self.dli_fname, BUILT_FOR, kind, info.dli_fname);
    return 0;
}

// The tool's MPI_X: the next one after Casper, if that is not the MPI library's own.
static const void *find_tool(const char *mpi_name)
{
    const void *entry = dlsym(RTLD_NEXT, mpi_name);
    if (!entry || csp_caller_is_mpi(entry)) // the text range is cheap, dladdr is not
        return NULL;
    return object_of(entry) != object_of(&csp_mpi) ? entry : NULL;
}

// A tool that looks for the MPI library's functions itself (dlsym) goes past Casper, to the real world with the ghosts.
static int tool_init(int *argc, char ***argv)
{
    int rc = behind.Init(argc, argv);
    csp_rt_must_have_begun((const void *)behind.Init);
    return rc;
}

static int tool_init_thread(int *argc, char ***argv, int required, int *provided)
{
    int rc = behind.Init_thread(argc, argv, required, provided);
    csp_rt_must_have_begun((const void *)behind.Init_thread);
    return rc;
}

static void watch_tool(void)
{
    behind.Init = csp_tool.Init;
    behind.Init_thread = csp_tool.Init_thread;
    if (behind.Init)
        csp_tool.Init = tool_init;
    if (behind.Init_thread)
        csp_tool.Init_thread = tool_init_thread;
}

static void fill(void *library)
{
    for (size_t i = 0; i < TABLE_LENGTH; i++) {
        const void *entry = dlsym(library, names[i]);
        if (entry)
            table_set(&csp_mpi, i, entry);
        const void *tool = find_tool(names[i] + 1);
        table_set(&csp_tool, i, tool);
        if (tool)
            csp_detour_open(CSP_BY_TOOL);
    }
    watch_tool();
}

int csp_mpi_load(void)
{
    if (CSP_LIKELY(loaded))
        return 1;
    void *library = RTLD_NEXT;
    const void *init = dlsym(RTLD_NEXT, "PMPI_Init");
    if (!init) {
        library = find_local_library("PMPI_Init");
        init = library ? dlsym(library, "PMPI_Init") : NULL;
    }
    if (!init || !check_library(init))
        return 0;
    csp_caller_set_mpi(init);
    fill(library);
    loaded = 1;
    load_error[0] = 0;
    return 1;
}

const char *csp_mpi_load_error(void)
{
    return load_error;
}

// 101: before the constructors of programs and of other parts of Casper.
__attribute__((constructor(101))) static void load_at_start(void)
{
    for (size_t i = 0; i < TABLE_LENGTH; i++)
        table_set(&csp_mpi, i, (const void *)missing_entries[i]);
    csp_mpi_load();
}
