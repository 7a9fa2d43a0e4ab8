// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Error handlers. A handler of the program must be given MPI_COMM_WORLD where the library raises an
// error on the user world; the C interface has no extra state, so each handler function gets one of
// a fixed number of functions of ours, which knows it by its number. A handler set on
// MPI_COMM_WORLD goes to the user world and to the real one, on which libraries raise errors that
// belong to no communicator. User role, any thread. MPI-4.1 9.3.
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include "wrap/errh_slots.h"
#include "wrap/hooks.h"

static csp_errh_any *_Atomic slots[CSP_ERRH_SLOTS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int csp_errh_slot(csp_errh_any *_Atomic *of, csp_errh_any *fn)
{
    int i = 0;
    pthread_mutex_lock(&mutex);
    while (i < CSP_ERRH_SLOTS && of[i] && of[i] != fn)
        i++;
    if (i < CSP_ERRH_SLOTS)
        of[i] = fn;
    pthread_mutex_unlock(&mutex);
    if (i < CSP_ERRH_SLOTS)
        return i;
    csp_info("more than %d error handler functions: the further ones get Casper's handle of the "
             "user world in place of MPI_COMM_WORLD",
             CSP_ERRH_SLOTS);
    return -1;
}

static void run(int i, MPI_Comm comm, int *code, const char *message)
{
    MPI_Comm shown = csp_hook_program_comm(comm);
    ((MPI_Comm_errhandler_function *)slots[i])(&shown, code, message, NULL);
}

#ifdef OPEN_MPI // passes the name of the function in which the error happened
#define MESSAGE(last, to)                                                                          \
    do {                                                                                           \
        va_list list;                                                                              \
        va_start(list, last);                                                                      \
        to = va_arg(list, const char *);                                                           \
        va_end(list);                                                                              \
    } while (0)
#else
#define MESSAGE(last, to) to = NULL
#endif

#define HANDLER(hex)                                                                               \
    static void handler_##hex(MPI_Comm *comm, int *code, ...)                                      \
    {                                                                                              \
        const char *message;                                                                       \
        MESSAGE(code, message);                                                                    \
        run(0x##hex, *comm, code, message);                                                        \
    }
#define POINTER(hex) handler_##hex,

CSP_ERRH_ALL(HANDLER)
static MPI_Comm_errhandler_function *const handlers[CSP_ERRH_SLOTS] = {CSP_ERRH_ALL(POINTER)};

// A handler of Fortran has the C form where a handle is an int: MPICH's own ABI. (Open MPI's
// Fortran does not come here, see fortran_errh.c.)
static int has_c_form(const void *ra)
{
    int binding = csp_caller_is_binding(ra);
#if !defined(OPEN_MPI) && !defined(MPI_ABI)
    if (binding == CSP_BINDING_FORTRAN)
        return 1;
#endif
    return !binding;
}

// Our function for one of the program's; the program's own when there are none left.
static MPI_Comm_errhandler_function *translated(MPI_Comm_errhandler_function *fn, const void *ra)
{
    int i = fn && has_c_form(ra) ? csp_errh_slot(slots, (csp_errh_any *)fn) : -1;
    return i < 0 ? fn : handlers[i];
}

int csp_rt_comm_create_errhandler(MPI_Comm_errhandler_function *fn, MPI_Errhandler *errh,
                                  const void *ra)
{
    return csp_mpi.Comm_create_errhandler(translated(fn, ra), errh);
}

#if CSP_HAVE_MPIX_Comm_create_errhandler_x // MPICH 5; its Fortran calls it, too
struct handler_x {
    MPIX_Comm_errhandler_function_x *fn;
    MPIX_Destructor_function *destructor;
    void *extra;
};

static void run_x(MPI_Comm comm, int code, void *handler)
{
    const struct handler_x *h = handler;
    h->fn(csp_hook_program_comm(comm), code, h->extra);
}

static void destroy_x(void *handler)
{
    struct handler_x *h = handler;
    if (h->destructor)
        h->destructor(h->extra);
    free(h);
}

int csp_rt_comm_create_errhandler_x(MPIX_Comm_errhandler_function_x *fn,
                                    MPIX_Destructor_function *destructor, void *extra,
                                    MPI_Errhandler *errh)
{
    struct handler_x *h = malloc(sizeof(*h));
    CSP_CHECK(h, "out of memory for an error handler");
    *h = (struct handler_x){fn, destructor, extra};
    int rc = csp_mpi.X_Comm_create_errhandler_x(run_x, destroy_x, h, errh);
    if (rc != MPI_SUCCESS)
        free(h);
    return rc;
}
#endif

int csp_rt_comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errh)
{
    int rc = csp_mpi.Comm_set_errhandler(csp_hook_comm(comm), errh);
    if (rc == MPI_SUCCESS && comm == MPI_COMM_WORLD && csp_rt.active)
        rc = csp_mpi.Comm_set_errhandler(MPI_COMM_WORLD, errh);
    return rc;
}
