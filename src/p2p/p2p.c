// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "p2p/p2p.h"

#include "p2p/p2p_cells.h"
#include "p2p/p2p_flow.h"
#include "p2p/p2p_msg.h"
#include "runtime/detours.h"
#include "runtime/rt.h"
#include "runtime/vm.h"

void csp_p2p_start(void)
{
    if (!csp_rt.p2p)
        return;
    int mine = csp_vm_reachable() && csp_cells_start(), all = 0;
    int rc = csp_mpi.Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, csp_rt.user_comm);
    CSP_CHECK(rc == MPI_SUCCESS, "the users could not agree on CSP_P2P");
    if (!mine)
        csp_warn("sends and receives stay with the MPI library: ghosts cannot reach the memory of "
                 "this process, or there is no room for messages");
    if (all)
        csp_detour_open(CSP_BY_P2P);
    csp_p2p_comm_made(csp_user_world, MPI_INFO_NULL);
}

void csp_p2p_stop(void)
{
    if (!csp_detour(CSP_BY_P2P))
        return;
    csp_cells_stop();
    csp_detour_close(CSP_BY_P2P | CSP_BY_AUTO);
    csp_p2p_flow_stop();
    csp_msg_stop();
}
