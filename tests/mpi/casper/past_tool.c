// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Preloaded behind libcasper: a tool that looks for the MPI library's functions itself, as the next ones behind its own; and, with
// PMPI_NAMES, has them under their PMPI names, too, as Darshan. Behind libcasper it would start MPI without Casper.
#include <dlfcn.h>
#include <mpi.h>

#define API __attribute__((visibility("default")))

API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    __typeof__(PMPI_Init_thread) *next =
        (__typeof__(PMPI_Init_thread) *)dlsym(RTLD_NEXT, "PMPI_Init_thread");
    return next(argc, argv, required, provided);
}

API int MPI_Init(int *argc, char ***argv)
{
    __typeof__(PMPI_Init) *next = (__typeof__(PMPI_Init) *)dlsym(RTLD_NEXT, "PMPI_Init");
    return next(argc, argv);
}

#if defined(PMPI_NAMES)
API int PMPI_Init(int *argc, char ***argv) __attribute__((alias("MPI_Init")));
#endif
