// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A PMPI tool for tests: every window that the program allocates asks for an alignment beyond a page, so that
// the tests of allocated windows test what Casper does where ghosts cannot map such memory.
#include <mpi.h>

int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
                     MPI_Win *win)
{
    MPI_Info mine;
    if (info == MPI_INFO_NULL)
        MPI_Info_create(&mine);
    else
        MPI_Info_dup(info, &mine);
    MPI_Info_set(mine, "mpi_minimum_memory_alignment", "16384");
    int rc = PMPI_Win_allocate(size, disp_unit, mine, comm, baseptr, win);
    MPI_Info_free(&mine);
    return rc;
}
