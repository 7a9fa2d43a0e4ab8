// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Error handlers written in Fortran, Open MPI: created past PMPI_X, called with the integer handle
// of the user world where the program expects MPI_COMM_WORLD. See hooks_errh.c. User role, any
// thread.
#include "wrap/errh_slots.h"
#include "wrap/fortran_shim.h"

#ifdef OPEN_MPI
typedef void handler_function(MPI_Fint *comm, MPI_Fint *code, ...);
typedef void create_function(handler_function *fn, MPI_Fint *errh, MPI_Fint *ierr);

static csp_errh_any *_Atomic slots[CSP_ERRH_SLOTS];

static void run(int i, const MPI_Fint *comm, MPI_Fint *code)
{
    MPI_Fint shown = csp_fortran_program_comm(*comm);
    ((handler_function *)slots[i])(&shown, code);
}

#define HANDLER(hex)                                                                               \
    static void handler_##hex(MPI_Fint *comm, MPI_Fint *code, ...)                                 \
    {                                                                                              \
        run(0x##hex, comm, code);                                                                  \
    }
#define POINTER(hex) handler_##hex,

CSP_ERRH_ALL(HANDLER)
static handler_function *const handlers[CSP_ERRH_SLOTS] = {CSP_ERRH_ALL(POINTER)};

// Routines call each other: a function of ours comes back as it is.
static int is_ours(handler_function *fn)
{
    for (int i = 0; i < CSP_ERRH_SLOTS; i++)
        if (handlers[i] == fn)
            return 1;
    return 0;
}

static void comm_create_errhandler(const void *next, handler_function *fn, MPI_Fint *errh,
                                   MPI_Fint *ierr)
{
    int i = is_ours(fn) ? -1 : csp_errh_slot(slots, (csp_errh_any *)fn);
    ((create_function *)next)(i < 0 ? fn : handlers[i], errh, ierr);
}

static void errhandler_create(const void *next, handler_function *fn, MPI_Fint *errh,
                              MPI_Fint *ierr)
{
    comm_create_errhandler(next, fn, errh, ierr);
}

#define PARAMS (handler_function * fn, MPI_Fint * errh, MPI_Fint * ierr)
CSP_SHIMS(comm_create_errhandler, COMM_CREATE_ERRHANDLER, PARAMS, fn, errh, ierr)
CSP_SHIMS(errhandler_create, ERRHANDLER_CREATE, PARAMS, fn, errh, ierr)
#endif
