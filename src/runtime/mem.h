// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Memory that the ghosts of the node map: messages from and to it are not copied on their way through a ghost, and windows on it are
// redirected as those of MPI_Win_allocate. User role, any thread.
#ifndef CSP_RUNTIME_MEM_H
#define CSP_RUNTIME_MEM_H

#include <mpi.h>
#include <stdint.h>
#include "runtime/rt.h"

/** MPI_Alloc_mem and MPI_Free_mem: memory that ghosts map, as far as it goes. @return MPI error code. */
int csp_mem_alloc(MPI_Aint size, MPI_Info info, void *baseptr);
int csp_mem_free(void *base);

/** Where an address is in the node's segment: parts of windows from the pool, MPI_Alloc_mem. 0: elsewhere. */
static inline uint64_t csp_mem_mapped(const void *buf)
{
    uintptr_t off = (uintptr_t)buf - (uintptr_t)csp_rt.pool.base;
    return off < csp_rt.pool_bytes ? off : 0;
}

#endif
