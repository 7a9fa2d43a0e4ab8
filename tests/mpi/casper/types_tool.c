// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Preloaded behind libcasper: counts the types of blocks that it makes for itself (acc_in_pieces.c asks), and its look-ups of
// types' attributes (types_reused.c).
#include <dlfcn.h>
#include <mpi.h>

#define API __attribute__((visibility("default")))

API long types_tool_count, types_tool_lookups;

API int PMPI_Type_create_hindexed(int count, const int *lengths, const MPI_Aint *offsets,
                                  MPI_Datatype old, MPI_Datatype *type)
{
    static __typeof__(PMPI_Type_create_hindexed) *next;
    if (!next)
        next =
            (__typeof__(PMPI_Type_create_hindexed) *)dlsym(RTLD_NEXT, "PMPI_Type_create_hindexed");
    types_tool_count++;
    return next(count, lengths, offsets, old, type);
}

API int PMPI_Type_get_attr(MPI_Datatype type, int key, void *value, int *flag)
{
    static __typeof__(PMPI_Type_get_attr) *next;
    if (!next)
        next = (__typeof__(PMPI_Type_get_attr) *)dlsym(RTLD_NEXT, "PMPI_Type_get_attr");
    types_tool_lookups++;
    return next(type, key, value, flag);
}
