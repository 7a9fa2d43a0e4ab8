// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Alloc_mem from the node's segment.
#include "p2p/p2p_mem.h"

#include "p2p/p2p.h"
#include "runtime/detours.h"
#include "shm/heap.h"

enum {
    WORTH = 4096, // bytes; below, messages are packed
    ALIGN = 64,
    LEAVE = 4, // one part in so many of the segment is left to windows
};

// Room in the segment, or CSP_OFF_NONE.
static uint64_t take(MPI_Aint size)
{
    uint64_t used, peak, bytes = csp_rt.pool_bytes;
    csp_heap_usage(csp_rt.heap, &used, &peak);
    if (size < WORTH || used + (uint64_t)size > bytes - bytes / LEAVE)
        return CSP_OFF_NONE;
    return csp_heap_alloc(csp_rt.heap, (uint64_t)size, ALIGN);
}

int csp_p2p_alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
    // A hint can ask for another kind of memory.
    uint64_t off = csp_detour(CSP_BY_P2P) && info == MPI_INFO_NULL ? take(size) : CSP_OFF_NONE;
    if (off == CSP_OFF_NONE)
        return csp_mpi.Alloc_mem(size, info, baseptr);
    atomic_fetch_add_explicit(&csp_rt.pool_lent, 1, memory_order_relaxed);
    *(void **)baseptr = (char *)csp_rt.pool.base + off;
    return MPI_SUCCESS;
}

int csp_p2p_free_mem(void *base)
{
    uint64_t off = csp_mem_mapped(base);
    if (!off)
        return csp_mpi.Free_mem(base);
    csp_heap_free(csp_rt.heap, off);
    atomic_fetch_sub_explicit(&csp_rt.pool_lent, 1, memory_order_relaxed);
    return MPI_SUCCESS;
}
