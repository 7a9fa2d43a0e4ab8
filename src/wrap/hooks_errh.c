// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Error handlers. A handler of the program must be given MPI_COMM_WORLD where the library raises an
// error on the user world; the C interface has no extra state, so each handler function gets one of
// a fixed number of functions of ours, which knows it by its number. A handler set on
// MPI_COMM_WORLD goes to the user world and to the real one, on which libraries raise errors that
// belong to no communicator. User role, any thread. MPI-4.1 9.3.
#include <pthread.h>
#include <stdarg.h>
#include "wrap/hooks.h"

#define SLOTS 256

static MPI_Comm_errhandler_function *_Atomic slots[SLOTS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void run(int i, MPI_Comm comm, int *code, const char *message)
{
    MPI_Comm shown = csp_hook_program_comm(comm);
    slots[i](&shown, code, message, NULL);
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
#define ROW(X, h)                                                                                  \
    X(h##0)                                                                                        \
    X(h##1)                                                                                        \
    X(h##2) X(h##3) X(h##4) X(h##5) X(h##6) X(h##7) X(h##8) X(h##9) X(h##a) X(h##b) X(h##c)        \
        X(h##d) X(h##e) X(h##f)
#define ALL(X)                                                                                     \
    ROW(X, 0)                                                                                      \
    ROW(X, 1)                                                                                      \
    ROW(X, 2) ROW(X, 3) ROW(X, 4) ROW(X, 5) ROW(X, 6) ROW(X, 7) ROW(X, 8) ROW(X, 9) ROW(X, a)      \
        ROW(X, b) ROW(X, c) ROW(X, d) ROW(X, e) ROW(X, f)

ALL(HANDLER)
static MPI_Comm_errhandler_function *const handlers[SLOTS] = {ALL(POINTER)};

// Our function for one of the program's; the program's own when there are none left.
static MPI_Comm_errhandler_function *handler_for(MPI_Comm_errhandler_function *fn)
{
    int i = 0;
    pthread_mutex_lock(&mutex);
    while (i < SLOTS && slots[i] && slots[i] != fn)
        i++;
    if (i < SLOTS)
        slots[i] = fn;
    pthread_mutex_unlock(&mutex);
    if (i < SLOTS)
        return handlers[i];
    csp_info(
        "more than %d error handler functions: the further ones get Casper's handle of the user "
        "world in place of MPI_COMM_WORLD",
        SLOTS);
    return fn;
}

static MPI_Comm_errhandler_function *translated(MPI_Comm_errhandler_function *fn, const void *ra)
{
    return fn && !csp_caller_is_binding(ra) ? handler_for(fn) : fn;
}

int csp_rt_comm_create_errhandler(MPI_Comm_errhandler_function *fn, MPI_Errhandler *errh,
                                  const void *ra)
{
    return csp_mpi.Comm_create_errhandler(translated(fn, ra), errh);
}

int csp_rt_comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errh)
{
    int rc = csp_mpi.Comm_set_errhandler(csp_hook_comm(comm), errh);
    if (rc == MPI_SUCCESS && comm == MPI_COMM_WORLD && csp_rt.active)
        rc = csp_mpi.Comm_set_errhandler(MPI_COMM_WORLD, errh);
    return rc;
}

#if CSP_HAVE_MPI_Errhandler_create
int csp_rt_errhandler_create(MPI_Comm_errhandler_function *fn, MPI_Errhandler *errh, const void *ra)
{
    return csp_mpi.Errhandler_create(translated(fn, ra), errh);
}

int csp_rt_errhandler_set(MPI_Comm comm, MPI_Errhandler errh)
{
    return csp_rt_comm_set_errhandler(comm, errh);
}
#endif
