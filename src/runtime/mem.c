// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Alloc_mem from the node's segment.
#include "runtime/mem.h"

#include "base/config.h"
#include "shm/heap.h"

enum {
    ALIGN = 64,
    LEAVE = 4, // one part in so many of the segment is left to windows
};

// Whether it is of use to somebody: to windows of MPI_Win_create, or to messages.
static int is_wanted(void)
{
    int windows = csp_rt.pool_win != MPI_WIN_NULL &&
                  csp_config.created_windows != CSP_CONFIG_CREATED_WINDOWS_PLAIN;
    return csp_rt.active && (windows || csp_rt.p2p);
}

// Room in the segment, or CSP_OFF_NONE.
static uint64_t take(MPI_Aint size)
{
    uint64_t used, peak, bytes = csp_rt.pool_bytes;
    csp_heap_usage(csp_rt.heap, &used, &peak);
    if (size <= 0 || used + (uint64_t)size > bytes - bytes / LEAVE)
        return CSP_OFF_NONE;
    return csp_heap_alloc(csp_rt.heap, (uint64_t)size, ALIGN);
}

int csp_mem_alloc(MPI_Aint size, MPI_Info info, void *baseptr)
{
    // A hint can ask for another kind of memory.
    uint64_t off = info == MPI_INFO_NULL && is_wanted() ? take(size) : CSP_OFF_NONE;
    if (off == CSP_OFF_NONE)
        return csp_mpi.Alloc_mem(size, info, baseptr);
    atomic_fetch_add_explicit(&csp_rt.pool_lent, 1, memory_order_relaxed);
    *(void **)baseptr = (char *)csp_rt.pool.base + off;
    return MPI_SUCCESS;
}

int csp_mem_free(void *base)
{
    uint64_t off = csp_mem_mapped(base);
    if (!off)
        return csp_mpi.Free_mem(base);
    csp_heap_free(csp_rt.heap, off);
    atomic_fetch_sub_explicit(&csp_rt.pool_lent, 1, memory_order_relaxed);
    return MPI_SUCCESS;
}
