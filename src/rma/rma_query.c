// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Queries of a redirected window, and the start and end of the user role.
#include <limits.h>
#include <stdlib.h>
#include "rma/rma_early.h"
#include "rma/rma_flow.h"
#include "rma/rma_win.h"

struct csp_iwin csp_pool_iwin;

void csp_rma_start(void)
{
    csp_rma_am_start();
    csp_flow_start();
    csp_pool_iwin = (struct csp_iwin){.id = CSP_PIECE_POOL,
                                      .win = csp_rt.pool_win,
                                      .seg = &csp_rt.pool,
                                      .ghosts = csp_topo_ghosts(csp_rt.topo),
                                      .users = csp_rt.pool_has_users};
}

int csp_rma_win_get_group(struct csp_win *w, MPI_Group *group)
{
    // A group of its own for the caller; excluding nobody copies.
    return csp_win_rc(w, csp_mpi.Group_excl(w->group, 0, NULL, group));
}

int csp_rma_win_get_attr(struct csp_win *w, int keyval, void *attribute_val, int *flag)
{
    void **value = attribute_val;
    *flag = 1;
    if (keyval == MPI_WIN_BASE)
        *value = w->base;
    else if (keyval == MPI_WIN_SIZE)
        *value = &w->size;
    else if (keyval == MPI_WIN_DISP_UNIT)
        *value = &w->attr_disp_unit;
    else if (keyval == MPI_WIN_CREATE_FLAVOR)
        *value = &w->attr_flavor;
    else if (keyval == MPI_WIN_MODEL)
        *value = &w->attr_model;
    else
        return csp_mpi.Win_get_attr(w->handle, keyval, attribute_val, flag);
    return MPI_SUCCESS;
}

// MPI-4.1 12.2.4: MPI_PROC_NULL asks for the lowest rank with memory, of all, not of this node; 0 and
// NULL where it is not shared. Of memory that no ghost maps only the own part is.
int csp_rma_win_shared_query(struct csp_win *w, int rank, MPI_Aint *size, MPI_Aint *disp_unit,
                             void *baseptr)
{
    if (w->attr_flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return csp_win_raise(w, MPI_ERR_RMA_FLAVOR);
    if (rank != MPI_PROC_NULL && (rank < 0 || rank >= w->n))
        return csp_win_raise(w, MPI_ERR_RANK);
    for (int i = 0; rank == MPI_PROC_NULL && i < w->n; i++)
        if (w->peers[i].size > 0)
            rank = i;
    *size = 0;
    *disp_unit = 0;
    *(void **)baseptr = NULL;
    if (rank == MPI_PROC_NULL || w->peers[rank].node != csp_rt.node)
        return MPI_SUCCESS;
    if (!w->iwin && rank != w->rank)
        return MPI_SUCCESS;
    *size = (MPI_Aint)w->peers[rank].size;
    *disp_unit = (MPI_Aint)w->peers[rank].disp_unit;
    if (*size > 0)
        *(void **)baseptr = csp_win_local(w, rank);
    return MPI_SUCCESS;
}
