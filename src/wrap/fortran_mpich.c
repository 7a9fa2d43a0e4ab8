// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Attributes from Fortran, MPICH and its relatives. All of their Fortran reaches PMPI_X or MPI_X,
// but for getting and setting attributes, which go to functions inside the library by these names,
// with the library's own (integer) handles and keyvals whatever the ABI. A Fortran keyval of a
// predefined attribute is the C one plus 1. User role, any thread.
#include <string.h>
#include "wrap/fortran_shim.h"

#ifndef OPEN_MPI
enum {
    KEY_UNIVERSE = 0x64400009,   // MPI_UNIVERSE_SIZE
    KEY_WIN_UNIT = 0x66000005,   // MPI_WIN_DISP_UNIT
    KEY_WIN_MODEL = 0x66000009,  // MPI_WIN_MODEL
    KEY_WIN_FLAVOR = 0x66000007, // MPI_WIN_CREATE_FLAVOR
    TYPE_INT = 3,                // the caller wants an int; else one of pointer size
};

typedef int get_function(int object, int keyval, void *value, int *flag, int type);
typedef int set_function(int comm, int keyval, void *value, int type);

static MPI_Win window(int win)
{
#if CSP_HAVE_MPI_Win_fromint
    return csp_mpi.Win_fromint(win);
#else
    return (MPI_Win)(intptr_t)win;
#endif
}

static int program_comm(int comm, const void *ra)
{
    return csp_caller_is_mpi(ra) ? comm : csp_fortran_hook_comm(comm);
}

static int get_comm_attr(get_function *get, int comm, int keyval, void *value, int *flag, int type)
{
    int rc = get(comm, keyval, value, flag, type);
    if (rc == MPI_SUCCESS && *flag && keyval == KEY_UNIVERSE + 1 && csp_rt.active) {
        int seen;
        memcpy(&seen, value, sizeof(seen)); // the low half, if the value is wider
        seen = csp_attr_program_value(MPI_UNIVERSE_SIZE, seen);
        memcpy(value, &seen, sizeof(seen));
    }
    return rc;
}

CSP_EXPORT int MPII_Comm_get_attr(int comm, int keyval, void *value, int *flag, int type)
{
    static _Atomic(const void *) cache;
    get_function *get = (get_function *)csp_mpi_next(&cache, "MPII_Comm_get_attr");
    return get_comm_attr(get, program_comm(comm, CSP_RA), keyval, value, flag, type);
}

CSP_EXPORT int MPII_Comm_get_attr_fort(int comm, int keyval, void *value, int *flag, int type)
{
    static _Atomic(const void *) cache;
    get_function *get = (get_function *)csp_mpi_next(&cache, "MPII_Comm_get_attr_fort");
    return get_comm_attr(get, program_comm(comm, CSP_RA), keyval, value, flag, type);
}

CSP_EXPORT int MPII_Comm_set_attr(int comm, int keyval, void *value, int type)
{
    static _Atomic(const void *) cache;
    set_function *set = (set_function *)csp_mpi_next(&cache, "MPII_Comm_set_attr");
    int rc = set(program_comm(comm, CSP_RA), keyval, value, type);
    csp_fortran_attr_set(comm, keyval, rc);
    return rc;
}

// What the carrier does not know of a redirected window. @return 0: it does.
static int window_value(struct csp_win *w, int keyval, MPI_Aint *value)
{
    void *attr = NULL;
    int flag = 0, key = MPI_KEYVAL_INVALID;
    if (keyval == KEY_WIN_UNIT + 1)
        key = MPI_WIN_DISP_UNIT;
    else if (keyval == KEY_WIN_FLAVOR + 1)
        key = MPI_WIN_CREATE_FLAVOR;
    else if (keyval == KEY_WIN_MODEL + 1)
        key = MPI_WIN_MODEL;
    if (key == MPI_KEYVAL_INVALID || csp_rma_win_get_attr(w, key, &attr, &flag) != MPI_SUCCESS)
        return 0;
    if (flag)
        *value = *(int *)attr;
    return flag;
}

CSP_EXPORT int MPII_Win_get_attr(int win, int keyval, void *value, int *flag, int type)
{
    static _Atomic(const void *) cache;
    get_function *get = (get_function *)csp_mpi_next(&cache, "MPII_Win_get_attr");
    int rc = get(win, keyval, value, flag, type);
    MPI_Aint wide = 0;
    struct csp_win *w = csp_caller_is_mpi(CSP_RA) ? NULL : csp_win_find(window(win));
    if (rc != MPI_SUCCESS || !*flag || !w || !window_value(w, keyval, &wide))
        return rc;
    int narrow = (int)wide;
    if (type == TYPE_INT)
        memcpy(value, &narrow, sizeof(narrow));
    else
        memcpy(value, &wide, sizeof(wide));
    return rc;
}
#endif
