// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Abort, and what MPI_INFO_ENV says of the number of processes. User role, any thread.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wrap/hooks.h"

// Whatever the communicator: a job without this process can not go on, and its ghosts must end too.
int csp_rt_abort(MPI_Comm comm, int errorcode)
{
    return csp_mpi.Abort(csp_rt.active ? MPI_COMM_WORLD : comm, errorcode);
}

// The number that mpiexec was given counts ghosts: 1 if `value` is that number.
static int is_number_of_all(MPI_Info info, const char *key, const char *value)
{
    return csp_rt.active && info == MPI_INFO_ENV && strcmp(key, "maxprocs") == 0 &&
           atoi(value) == csp_rt.topo->nranks;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
int csp_rt_info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
    int rc = csp_mpi.Info_get(info, key, valuelen, value, flag);
    if (rc == MPI_SUCCESS && *flag && is_number_of_all(info, key, value))
        snprintf(value, (size_t)valuelen + 1, "%d", csp_rt.topo->nusers);
    return rc;
}
#pragma GCC diagnostic pop

#if CSP_HAVE_MPI_Info_get_string
int csp_rt_info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag)
{
    int room = *buflen;
    int rc = csp_mpi.Info_get_string(info, key, buflen, value, flag);
    if (rc == MPI_SUCCESS && *flag && room > 0 && is_number_of_all(info, key, value))
        *buflen = snprintf(value, (size_t)room, "%d", csp_rt.topo->nusers) + 1;
    return rc;
}
#endif
