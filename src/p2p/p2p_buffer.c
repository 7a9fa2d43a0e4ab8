// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The buffer of MPI_Buffer_attach. Ghosts need none: a buffered send is copied to memory of Casper's. But one for which the
// program gave no room at all is its error, as it is over the MPI library (MPI-4.1 3.6).
#include "p2p/p2p_buffer.h"

#include <stdatomic.h>
#include <stdint.h>
#include "p2p/p2p.h"
#include "runtime/rt.h"

enum { NONE = -1 };

static _Atomic int64_t attached = NONE; // bytes
static atomic_int of_comms; // a communicator has one of its own: which, the library knows

static int note(int rc, int64_t bytes)
{
    if (rc == MPI_SUCCESS)
        atomic_store_explicit(&attached, bytes, memory_order_relaxed);
    return rc;
}

static int64_t room_in(const void *buffer, int64_t bytes)
{
#ifdef MPI_BUFFER_AUTOMATIC
    if (buffer == MPI_BUFFER_AUTOMATIC)
        return INT64_MAX;
#endif
    (void)buffer;
    return bytes;
}

int csp_buffer_fits(int64_t bytes)
{
    return bytes <= atomic_load_explicit(&attached, memory_order_relaxed) ||
           atomic_load_explicit(&of_comms, memory_order_relaxed);
}

void csp_p2p_buffer_of_comm(void)
{
    atomic_store_explicit(&of_comms, 1, memory_order_relaxed);
}

int csp_p2p_buffer_attach(void *buffer, int size)
{
    return note(csp_mpi.Buffer_attach(buffer, size), room_in(buffer, size));
}

int csp_p2p_buffer_detach(void *buffer_addr, int *size)
{
    return note(csp_mpi.Buffer_detach(buffer_addr, size), NONE);
}

#if CSP_HAVE_MPI_Buffer_attach_c
int csp_p2p_buffer_attach_c(void *buffer, MPI_Count size)
{
    return note(csp_mpi.Buffer_attach_c(buffer, size), room_in(buffer, size));
}

int csp_p2p_buffer_detach_c(void *buffer_addr, MPI_Count *size)
{
    return note(csp_mpi.Buffer_detach_c(buffer_addr, size), NONE);
}
#endif
