// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// See below.h. One thread.
#include "below.h"

#include <dlfcn.h>
#include <string.h>

struct below_counts below_counts;
int below_swallow;

void below_reset(void)
{
    memset(&below_counts, 0, sizeof below_counts);
}

// The MPI library's own.
#define NEXT(name)                                                                                 \
    static __typeof__(name) *next;                                                                 \
    if (next == NULL)                                                                              \
    next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

// 1 if an operation ends here.
static int swallows(void)
{
    below_counts.swallowed += below_swallow;
    return below_swallow;
}

static void count_op(int rank, int count, MPI_Datatype type)
{
    int bytes = 0;
    if (rank < 0 || rank >= BELOW_RANKS)
        return;
    MPI_Type_size(type, &bytes);
    below_counts.ops[rank]++;
    below_counts.ops_bytes[rank] += (long long)count * bytes;
}

int PMPI_Put(const void *origin, int origin_count, MPI_Datatype origin_type, int rank,
             MPI_Aint disp, int count, MPI_Datatype type, MPI_Win win)
{
    NEXT(PMPI_Put);
    if (swallows())
        return MPI_SUCCESS;
    return next(origin, origin_count, origin_type, rank, disp, count, type, win);
}

int below_put(const void *origin, int origin_count, MPI_Datatype origin_type, int rank,
              MPI_Aint disp, int count, MPI_Datatype type, MPI_Win win)
    __attribute__((alias("PMPI_Put")));

int PMPI_Rput(const void *origin, int origin_count, MPI_Datatype origin_type, int rank,
              MPI_Aint disp, int count, MPI_Datatype type, MPI_Win win, MPI_Request *request)
{
    NEXT(PMPI_Rput);
    if (!swallows())
        return next(origin, origin_count, origin_type, rank, disp, count, type, win, request);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int PMPI_Get(void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp,
             int count, MPI_Datatype type, MPI_Win win)
{
    NEXT(PMPI_Get);
    if (swallows())
        return MPI_SUCCESS;
    return next(origin, origin_count, origin_type, rank, disp, count, type, win);
}

int PMPI_Accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, int rank,
                    MPI_Aint disp, int count, MPI_Datatype type, MPI_Op op, MPI_Win win)
{
    NEXT(PMPI_Accumulate);
    if (swallows())
        return MPI_SUCCESS;
    count_op(rank, count, type);
    return next(origin, origin_count, origin_type, rank, disp, count, type, op, win);
}

int PMPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int rank, MPI_Aint disp,
                      MPI_Op op, MPI_Win win)
{
    NEXT(PMPI_Fetch_and_op);
    if (swallows())
        return MPI_SUCCESS;
    return next(origin, result, type, rank, disp, op, win);
}

int PMPI_Win_flush(int rank, MPI_Win win)
{
    NEXT(PMPI_Win_flush);
    below_counts.flushes++;
    return next(rank, win);
}

int PMPI_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag)
{
    NEXT(PMPI_Win_get_attr);
    below_counts.attributes++;
    return next(win, keyval, value, flag);
}

int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void *value, int *flag)
{
    NEXT(PMPI_Comm_get_attr);
    below_counts.attributes++;
    return next(comm, keyval, value, flag);
}

int PMPI_Type_get_attr(MPI_Datatype type, int keyval, void *value, int *flag)
{
    NEXT(PMPI_Type_get_attr);
    below_counts.attributes++;
    return next(type, keyval, value, flag);
}
