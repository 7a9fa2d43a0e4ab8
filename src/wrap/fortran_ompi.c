// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Attributes from Fortran, Open MPI. All of its Fortran calls PMPI_X, but for getting and setting
// attributes of communicators and windows. These shims translate the integer handle and call the
// Fortran routine behind Casper, under each name that a compiler may give it. User role, any
// thread.
#include "wrap/fortran_shim.h"

#ifdef OPEN_MPI
typedef void aint_function(MPI_Fint *object, MPI_Fint *keyval, MPI_Aint *value, MPI_Fint *flag,
                           MPI_Fint *ierr);
typedef void fint_function(MPI_Fint *object, MPI_Fint *keyval, MPI_Fint *value, MPI_Fint *flag,
                           MPI_Fint *ierr);
typedef void aint_set_function(MPI_Fint *comm, MPI_Fint *keyval, MPI_Aint *value, MPI_Fint *ierr);
typedef void fint_set_function(MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *value, MPI_Fint *ierr);

// Predefined attributes of MPI_COMM_WORLD are known on the real one only.
static MPI_Fint attr_comm(MPI_Fint comm, MPI_Fint keyval)
{
    return csp_attr_is_predefined(keyval) ? comm : csp_fortran_hook_comm(comm);
}

static void comm_get_attr(const void *next, MPI_Fint *comm, MPI_Fint *keyval, MPI_Aint *value,
                          MPI_Fint *flag, MPI_Fint *ierr)
{
    MPI_Fint c = attr_comm(*comm, *keyval);
    ((aint_function *)next)(&c, keyval, value, flag, ierr);
    if (*ierr == MPI_SUCCESS && *flag && csp_attr_is_predefined(*keyval))
        *value = csp_attr_program_value(*keyval, (int)*value);
}

static void attr_get(const void *next, MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *value,
                     MPI_Fint *flag, MPI_Fint *ierr)
{
    MPI_Fint c = attr_comm(*comm, *keyval);
    ((fint_function *)next)(&c, keyval, value, flag, ierr);
    if (*ierr == MPI_SUCCESS && *flag && csp_attr_is_predefined(*keyval))
        *value = csp_attr_program_value(*keyval, *value);
}

static void comm_set_attr(const void *next, MPI_Fint *comm, MPI_Fint *keyval, MPI_Aint *value,
                          MPI_Fint *ierr)
{
    MPI_Fint c = csp_fortran_hook_comm(*comm);
    ((aint_set_function *)next)(&c, keyval, value, ierr);
}

static void attr_put(const void *next, MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *value,
                     MPI_Fint *ierr)
{
    MPI_Fint c = csp_fortran_hook_comm(*comm);
    ((fint_set_function *)next)(&c, keyval, value, ierr);
}

// The carrier of a redirected window has its base and size, but was made another way.
static void win_get_attr(const void *next, MPI_Fint *win, MPI_Fint *keyval, MPI_Aint *value,
                         MPI_Fint *flag, MPI_Fint *ierr)
{
    void *attr = NULL;
    int found = 0;
    struct csp_win *w = csp_rt.active ? csp_win_find(csp_mpi.Win_f2c(*win)) : NULL;
    ((aint_function *)next)(win, keyval, value, flag, ierr);
    if (!w || *ierr != MPI_SUCCESS || !*flag ||
        (*keyval != MPI_WIN_DISP_UNIT && *keyval != MPI_WIN_CREATE_FLAVOR &&
         *keyval != MPI_WIN_MODEL))
        return;
    if (csp_rma_win_get_attr(w, *keyval, &attr, &found) == MPI_SUCCESS && found)
        *value = *(int *)attr;
}

#define GET_PARAMS(type)                                                                           \
    (MPI_Fint * object, MPI_Fint * keyval, type * value, MPI_Fint * flag, MPI_Fint * ierr)
#define SET_PARAMS(type) (MPI_Fint * comm, MPI_Fint * keyval, type * value, MPI_Fint * ierr)

CSP_SHIMS(comm_get_attr, COMM_GET_ATTR, GET_PARAMS(MPI_Aint), object, keyval, value, flag, ierr)
CSP_SHIMS(attr_get, ATTR_GET, GET_PARAMS(MPI_Fint), object, keyval, value, flag, ierr)
CSP_SHIMS(win_get_attr, WIN_GET_ATTR, GET_PARAMS(MPI_Aint), object, keyval, value, flag, ierr)
CSP_SHIMS(comm_set_attr, COMM_SET_ATTR, SET_PARAMS(MPI_Aint), comm, keyval, value, ierr)
CSP_SHIMS(attr_put, ATTR_PUT, SET_PARAMS(MPI_Fint), comm, keyval, value, ierr)
#endif
