// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Window functions whose plain and large-count variants differ in more than the name, and those
// that make windows which are left to the MPI library: counted for the report. User role.
#include <limits.h>
#include "rma/rma.h"
#include "wrap/hooks.h"

int csp_rt_win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
                        MPI_Win *win)
{
    return csp_rma_win_allocate(size, disp_unit, info, csp_hook_comm(comm), baseptr, win);
}

int csp_rt_win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr)
{
    struct csp_win *w = csp_win_find(win);
    if (!w)
        return csp_mpi.Win_shared_query(win, rank, size, disp_unit, baseptr);
    MPI_Aint wide = 0;
    int rc = csp_rma_win_shared_query(w, rank, size, &wide, baseptr);
    if (rc == MPI_SUCCESS)
        *disp_unit = wide > INT_MAX ? INT_MAX : (int)wide;
    return rc;
}

static int left_plain(int rc, const MPI_Win *win, enum csp_plain_reason reason)
{
    if (rc == MPI_SUCCESS)
        csp_rma_note_plain(*win, reason);
    return rc;
}

int csp_rt_win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                      MPI_Win *win)
{
    return csp_rma_win_create(base, size, disp_unit, info, csp_hook_comm(comm), win);
}

int csp_rt_win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    return csp_rma_win_create_dynamic(info, csp_hook_comm(comm), win);
}

int csp_rt_win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                               void *baseptr, MPI_Win *win)
{
    comm = csp_hook_comm(comm);
    return left_plain(csp_mpi.Win_allocate_shared(size, disp_unit, info, comm, baseptr, win), win,
                      CSP_PLAIN_SHARED);
}

#if CSP_HAVE_MPI_Win_create_c
int csp_rt_win_create_c(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                        MPI_Win *win)
{
    return csp_rma_win_create(base, size, disp_unit, info, csp_hook_comm(comm), win);
}

int csp_rt_win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                                 void *baseptr, MPI_Win *win)
{
    comm = csp_hook_comm(comm);
    return left_plain(csp_mpi.Win_allocate_shared_c(size, disp_unit, info, comm, baseptr, win), win,
                      CSP_PLAIN_SHARED);
}
#endif

#if CSP_HAVE_MPI_Win_allocate_c
int csp_rt_win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                          void *baseptr, MPI_Win *win)
{
    return csp_rma_win_allocate(size, disp_unit, info, csp_hook_comm(comm), baseptr, win);
}

int csp_rt_win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit,
                              void *baseptr)
{
    struct csp_win *w = csp_win_find(win);
    if (!w)
        return csp_mpi.Win_shared_query_c(win, rank, size, disp_unit, baseptr);
    return csp_rma_win_shared_query(w, rank, size, disp_unit, baseptr);
}
#endif
