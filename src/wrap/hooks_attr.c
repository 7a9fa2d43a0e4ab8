// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Attributes of communicators. The program's own live on the user world. Those that MPI attaches to
// MPI_COMM_WORLD may be known on the real one only (Open MPI), so they are asked there when the
// user world has none, and what they say of processes is corrected. User role, any thread.
// MPI-4.1 9.1.2.
#include <stddef.h>
#include "runtime/quirks.h"
#include "runtime/self_attrs.h"
#include "wrap/hooks.h"

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
enum { FAULT_TOLERANCE = MPI_FT };
#else
enum { FAULT_TOLERANCE = MPI_KEYVAL_INVALID };
#endif

int csp_attr_is_predefined(int keyval)
{
    return keyval == MPI_TAG_UB || keyval == MPI_HOST || keyval == MPI_IO ||
           keyval == MPI_WTIME_IS_GLOBAL || keyval == MPI_UNIVERSE_SIZE ||
           keyval == MPI_LASTUSEDCODE || keyval == MPI_APPNUM || keyval == FAULT_TOLERANCE;
}

// A rank of the real world as a rank of the user world; a ghost's becomes this process's.
static int user_rank(int wrank)
{
    if (wrank < 0 || wrank >= csp_rt.topo->nranks)
        return wrank; // MPI_PROC_NULL, MPI_ANY_SOURCE
    int urank = csp_topo_urank_of_wrank(csp_rt.topo)[wrank];
    return urank >= 0 ? urank : csp_rt.urank;
}

int csp_attr_program_value(int keyval, int value)
{
    if (!csp_rt.active)
        return value;
    if (keyval == MPI_HOST || keyval == MPI_IO)
        return user_rank(value);
    if (keyval != MPI_UNIVERSE_SIZE)
        return value;
    if (value < csp_rt.topo->nranks) // more processes than slots: it does not count them
        return value;
    return value - csp_rt.topo->nranks + csp_rt.topo->nusers;
}

// In C the value is a pointer to an int of the library: point to one of ours where it differs. Ours
// never change once set, so that it does not matter which thread sets them.
static void show_program_value(int keyval, void *attribute)
{
    static int host, io, universe;
    int **value = attribute, *mine = NULL;
    if (keyval == MPI_HOST)
        mine = &host;
    else if (keyval == MPI_IO)
        mine = &io;
    else if (keyval == MPI_UNIVERSE_SIZE)
        mine = &universe;
    int seen = csp_attr_program_value(keyval, **value);
    if (!mine || seen == **value)
        return;
    __atomic_store_n(mine, seen, __ATOMIC_RELAXED);
    *value = mine;
}

int csp_rt_comm_get_attr(MPI_Comm comm, int keyval, void *value, int *flag)
{
    int rc = csp_mpi.Comm_get_attr(csp_hook_comm(comm), keyval, value, flag);
    if (!csp_rt.active || rc != MPI_SUCCESS || !csp_attr_is_predefined(keyval))
        return rc;
    if (!*flag)
        rc = csp_mpi.Comm_get_attr(MPI_COMM_WORLD, keyval, value, flag);
    if (rc == MPI_SUCCESS && *flag)
        show_program_value(keyval, value);
    return rc;
}

int csp_rt_comm_set_attr(MPI_Comm comm, int keyval, void *value)
{
    int rc = csp_mpi.Comm_set_attr(csp_hook_comm(comm), keyval, value);
    if (rc == MPI_SUCCESS && comm == MPI_COMM_SELF)
        csp_self_attr_set(keyval);
    return rc;
}

int csp_rt_comm_delete_attr(MPI_Comm comm, int keyval)
{
    int rc = csp_mpi.Comm_delete_attr(csp_hook_comm(comm), keyval);
    if (rc == MPI_SUCCESS && comm == MPI_COMM_SELF)
        csp_self_attr_gone(keyval);
    return rc;
}

#if CSP_HAVE_MPI_Info_create_env
int csp_rt_info_create_env(int argc, char *argv[], MPI_Info *info)
{
    int rc = csp_mpi.Info_create_env(argc, argv, info);
    if (rc == MPI_SUCCESS)
        csp_quirks_env(*info);
    return rc;
}
#endif
