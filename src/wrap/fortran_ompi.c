// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Fortran of Open MPI. All of it calls PMPI_X, but for getting and setting attributes of communicators and windows, and
// reads nothing else of communicators but for alltoallw. These shims translate the integer handle and call the
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
#define ALLTOALLW_PARAMS(...)                                                                      \
    (char *from, MPI_Fint *from_counts, MPI_Fint *from_displs, MPI_Fint *from_types, char *to,     \
     MPI_Fint *to_counts, MPI_Fint *to_displs, MPI_Fint *to_types, MPI_Fint *comm, __VA_ARGS__)
typedef void alltoallw_function ALLTOALLW_PARAMS(MPI_Fint *ierr);
typedef void ialltoallw_function ALLTOALLW_PARAMS(MPI_Fint *request, MPI_Fint *ierr);

// Predefined attributes are known on the real world only, and duplicates of the program's have them as well.
static int is_of_world(MPI_Fint keyval, MPI_Fint error)
{
    return csp_rt.active && error == MPI_SUCCESS && csp_attr_is_predefined(keyval);
}

static void comm_get_attr(const void *next, MPI_Fint *comm, MPI_Fint *keyval, MPI_Aint *value,
                          MPI_Fint *flag, MPI_Fint *ierr)
{
    MPI_Fint c = csp_fortran_hook_comm(*comm), world = csp_fortran_comm(MPI_COMM_WORLD);
    ((aint_function *)next)(&c, keyval, value, flag, ierr);
    if (!*flag && is_of_world(*keyval, *ierr))
        ((aint_function *)next)(&world, keyval, value, flag, ierr);
    if (*flag && is_of_world(*keyval, *ierr))
        *value = csp_attr_program_value(*keyval, (int)*value);
}

static void attr_get(const void *next, MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *value,
                     MPI_Fint *flag, MPI_Fint *ierr)
{
    MPI_Fint c = csp_fortran_hook_comm(*comm), world = csp_fortran_comm(MPI_COMM_WORLD);
    ((fint_function *)next)(&c, keyval, value, flag, ierr);
    if (!*flag && is_of_world(*keyval, *ierr))
        ((fint_function *)next)(&world, keyval, value, flag, ierr);
    if (*flag && is_of_world(*keyval, *ierr))
        *value = csp_attr_program_value(*keyval, *value);
}

static void comm_set_attr(const void *next, MPI_Fint *comm, MPI_Fint *keyval, MPI_Aint *value,
                          MPI_Fint *ierr)
{
    MPI_Fint c = csp_fortran_hook_comm(*comm);
    ((aint_set_function *)next)(&c, keyval, value, ierr);
    csp_fortran_attr_set(c, *keyval, *ierr);
}

static void attr_put(const void *next, MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *value,
                     MPI_Fint *ierr)
{
    MPI_Fint c = csp_fortran_hook_comm(*comm);
    ((fint_set_function *)next)(&c, keyval, value, ierr);
    csp_fortran_attr_set(c, *keyval, *ierr);
}

// The library's own Fortran takes the number of datatypes from the communicator that the program names.
static void alltoallw(const void *next, char *from, MPI_Fint *from_counts, MPI_Fint *from_displs,
                      MPI_Fint *from_types, char *to, MPI_Fint *to_counts, MPI_Fint *to_displs,
                      MPI_Fint *to_types, MPI_Fint *comm, MPI_Fint *ierr)
{
    MPI_Fint c = csp_fortran_hook_comm(*comm);
    ((alltoallw_function *)next)(from, from_counts, from_displs, from_types, to, to_counts,
                                 to_displs, to_types, &c, ierr);
}

static void ialltoallw(const void *next, char *from, MPI_Fint *from_counts, MPI_Fint *from_displs,
                       MPI_Fint *from_types, char *to, MPI_Fint *to_counts, MPI_Fint *to_displs,
                       MPI_Fint *to_types, MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierr)
{
    MPI_Fint c = csp_fortran_hook_comm(*comm);
    ((ialltoallw_function *)next)(from, from_counts, from_displs, from_types, to, to_counts,
                                  to_displs, to_types, &c, request, ierr);
}

static int is_of_window(MPI_Fint keyval)
{
    return keyval == MPI_WIN_BASE || keyval == MPI_WIN_SIZE || keyval == MPI_WIN_DISP_UNIT ||
           keyval == MPI_WIN_CREATE_FLAVOR || keyval == MPI_WIN_MODEL;
}

// The carrier of a redirected window was made another way, and may be without memory.
static void win_get_attr(const void *next, MPI_Fint *win, MPI_Fint *keyval, MPI_Aint *value,
                         MPI_Fint *flag, MPI_Fint *ierr)
{
    void *attr = NULL;
    int found = 0;
    struct csp_win *w = csp_rt.active ? csp_win_find(csp_mpi.Win_f2c(*win)) : NULL;
    ((aint_function *)next)(win, keyval, value, flag, ierr);
    if (!w || *ierr != MPI_SUCCESS || !*flag || !is_of_window(*keyval) ||
        csp_rma_win_get_attr(w, *keyval, &attr, &found) != MPI_SUCCESS || !found)
        return;
    if (*keyval == MPI_WIN_BASE)
        *value = (MPI_Aint)attr;
    else
        *value = *keyval == MPI_WIN_SIZE ? *(MPI_Aint *)attr : *(int *)attr;
}

#define GET_PARAMS(type)                                                                           \
    (MPI_Fint * object, MPI_Fint * keyval, type * value, MPI_Fint * flag, MPI_Fint * ierr)
#define SET_PARAMS(type) (MPI_Fint * comm, MPI_Fint * keyval, type * value, MPI_Fint * ierr)

CSP_SHIMS(comm_get_attr, COMM_GET_ATTR, GET_PARAMS(MPI_Aint), object, keyval, value, flag, ierr)
CSP_SHIMS(attr_get, ATTR_GET, GET_PARAMS(MPI_Fint), object, keyval, value, flag, ierr)
CSP_SHIMS(win_get_attr, WIN_GET_ATTR, GET_PARAMS(MPI_Aint), object, keyval, value, flag, ierr)
CSP_SHIMS(comm_set_attr, COMM_SET_ATTR, SET_PARAMS(MPI_Aint), comm, keyval, value, ierr)
CSP_SHIMS(attr_put, ATTR_PUT, SET_PARAMS(MPI_Fint), comm, keyval, value, ierr)
CSP_SHIMS(alltoallw, ALLTOALLW, ALLTOALLW_PARAMS(MPI_Fint *ierr), from, from_counts, from_displs,
          from_types, to, to_counts, to_displs, to_types, comm, ierr)
CSP_SHIMS(ialltoallw, IALLTOALLW, ALLTOALLW_PARAMS(MPI_Fint *request, MPI_Fint *ierr), from,
          from_counts, from_displs, from_types, to, to_counts, to_displs, to_types, comm, request,
          ierr)
#endif
