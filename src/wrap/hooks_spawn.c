// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Spawned jobs: neither side sees the children's ghosts. User role, any thread.
#include "wrap/hooks.h"

#include "runtime/spawn.h"

int csp_rt_comm_get_parent(MPI_Comm *parent)
{
    return csp_spawn_parent(parent);
}

int csp_rt_comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root,
                      MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[])
{
    MPI_Comm users = csp_hook_comm(comm);
    int rc = csp_mpi.Comm_spawn(command, argv, maxprocs, info, root, users, intercomm,
                                array_of_errcodes);
    return rc == MPI_SUCCESS ? csp_spawn_adopt(users, intercomm) : rc;
}

int csp_rt_comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[],
                               const int array_of_maxprocs[], const MPI_Info array_of_info[],
                               int root, MPI_Comm comm, MPI_Comm *intercomm,
                               int array_of_errcodes[])
{
    MPI_Comm users = csp_hook_comm(comm);
    int rc = csp_mpi.Comm_spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs,
                                         array_of_info, root, users, intercomm, array_of_errcodes);
    return rc == MPI_SUCCESS ? csp_spawn_adopt(users, intercomm) : rc;
}
