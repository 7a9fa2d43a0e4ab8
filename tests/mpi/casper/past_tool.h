// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A tool that looks for the MPI library's functions itself, as the next ones behind its own. Preloaded behind libcasper it would
// start MPI without Casper.
#ifndef CSP_TEST_PAST_TOOL_H
#define CSP_TEST_PAST_TOOL_H

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

#endif
