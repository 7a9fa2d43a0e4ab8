// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Abort. User role, any thread.
#include "wrap/hooks.h"

#include "runtime/peers.h"

// Whatever the communicator: a job without this process can not go on, and its ghosts must end too.
int csp_rt_abort(MPI_Comm comm, int errorcode)
{
    csp_peers_abort();
    return csp_mpi.Abort(csp_rt.active ? MPI_COMM_WORLD : comm, errorcode);
}
