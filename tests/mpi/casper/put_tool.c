// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Preloaded behind libcasper: counts the MPI_Put that it gives to the MPI library (short_runs.c asks).
#include <dlfcn.h>
#include <mpi.h>

#define API __attribute__((visibility("default")))

API long put_tool_count;

API int PMPI_Put(const void *origin, int origin_count, MPI_Datatype origin_type, int rank,
                 MPI_Aint disp, int count, MPI_Datatype type, MPI_Win win)
{
    static __typeof__(PMPI_Put) *next;
    if (!next)
        next = (__typeof__(PMPI_Put) *)dlsym(RTLD_NEXT, "PMPI_Put");
    put_tool_count++;
    return next(origin, origin_count, origin_type, rank, disp, count, type, win);
}
