// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Memory that the ghosts of the node map: messages from and to it are not copied on their way through a ghost. User role, any
// thread.
#ifndef CSP_P2P_MEM_H
#define CSP_P2P_MEM_H

#include <stdint.h>
#include "runtime/rt.h"

/** Where an address is in the node's segment: parts of windows from the pool, MPI_Alloc_mem. 0: elsewhere. */
static inline uint64_t csp_mem_mapped(const void *buf)
{
    uintptr_t off = (uintptr_t)buf - (uintptr_t)csp_rt.pool.base;
    return off < csp_rt.pool_bytes ? off : 0;
}

#endif
