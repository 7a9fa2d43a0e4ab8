// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Preloaded behind libcasper: counts the MPI_Rget and MPI_Put that it gives to the MPI library (direct_flush.c and short_runs.c ask).
#include <dlfcn.h>
#include <mpi.h>

#define API __attribute__((visibility("default")))

API long rma_tool_rgets, rma_tool_puts;

API int PMPI_Rget(void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp,
                  int count, MPI_Datatype type, MPI_Win win, MPI_Request *request)
{
    static __typeof__(PMPI_Rget) *next;
    if (!next)
        next = (__typeof__(PMPI_Rget) *)dlsym(RTLD_NEXT, "PMPI_Rget");
    rma_tool_rgets++;
    return next(origin, origin_count, origin_type, rank, disp, count, type, win, request);
}

API int PMPI_Put(const void *origin, int origin_count, MPI_Datatype origin_type, int rank,
                 MPI_Aint disp, int count, MPI_Datatype type, MPI_Win win)
{
    static __typeof__(PMPI_Put) *next;
    if (!next)
        next = (__typeof__(PMPI_Put) *)dlsym(RTLD_NEXT, "PMPI_Put");
    rma_tool_puts++;
    return next(origin, origin_count, origin_type, rank, disp, count, type, win);
}
