// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Attribute callbacks written in Fortran must be given MPI_COMM_WORLD where the library has the
// user world (in C: hooks_keyval.c). They are registered past PMPI_X, so we stand in between at the
// place where each library registers them, and find the program's function by the keyval. User
// role, any thread. MPI-4.1 7.7.2.
#include <pthread.h>
#include <stdlib.h>
#include "wrap/fortran_shim.h"

typedef void any_function(void);

struct callbacks {
    int keyval;
    any_function *copy, *del;
    struct callbacks *next;
};

static struct callbacks *all; // of every keyval; a number that comes again takes its old place
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct callbacks *look(int keyval)
{
    struct callbacks *c = all;
    while (c && c->keyval != keyval)
        c = c->next;
    return c;
}

static void remember(int keyval, any_function *copy, any_function *del)
{
    pthread_mutex_lock(&mutex);
    struct callbacks *c = look(keyval);
    if (!c) {
        c = malloc(sizeof(*c));
        CSP_CHECK(c, "out of memory for a keyval");
        c->next = all;
        all = c;
    }
    c->keyval = keyval;
    c->copy = copy;
    c->del = del;
    pthread_mutex_unlock(&mutex);
}

static struct callbacks recall(int keyval)
{
    pthread_mutex_lock(&mutex);
    const struct callbacks *c = look(keyval);
    CSP_CHECK(c, "an attribute callback of keyval %d, which was created elsewhere", keyval);
    struct callbacks copy = *c;
    pthread_mutex_unlock(&mutex);
    return copy;
}

#ifndef OPEN_MPI
// MPICH calls a language's own functions by a pair of proxies, which take the integer handle.
typedef int copy_proxy(any_function *user, int handle, int keyval, void *extra, int type, void *in,
                       void **out, int *flag);
typedef int delete_proxy(any_function *user, int handle, int keyval, int type, void *value,
                         void *extra);
typedef void set_proxy(int keyval, copy_proxy *copy, delete_proxy *del);

static int copy_attr(any_function *user, int handle, int keyval, void *extra, int type, void *in,
                     void **out, int *flag)
{
    copy_proxy *copy = (copy_proxy *)recall(keyval).copy;
    return copy(user, csp_fortran_program_comm(handle), keyval, extra, type, in, out, flag);
}

static int delete_attr(any_function *user, int handle, int keyval, int type, void *value,
                       void *extra)
{
    delete_proxy *del = (delete_proxy *)recall(keyval).del;
    return del(user, csp_fortran_program_comm(handle), keyval, type, value, extra);
}

CSP_EXPORT void MPII_Keyval_set_proxy(int keyval, copy_proxy *copy, delete_proxy *del);
CSP_EXPORT void MPII_Keyval_set_proxy(int keyval, copy_proxy *copy, delete_proxy *del)
{
    static _Atomic(const void *) cache;
    set_proxy *set = (set_proxy *)csp_mpi_next(&cache, "MPII_Keyval_set_proxy");
    remember(keyval, (any_function *)copy, (any_function *)del);
    set(keyval, copy_attr, delete_attr);
}

#else
// Values are of either width: they only pass through.
typedef void copy_function(MPI_Fint *comm, MPI_Fint *keyval, void *extra, void *in, void *out,
                           MPI_Fint *flag, MPI_Fint *ierr);
typedef void delete_function(MPI_Fint *comm, MPI_Fint *keyval, void *value, void *extra,
                             MPI_Fint *ierr);
typedef void create_function(copy_function *copy, delete_function *del, MPI_Fint *keyval,
                             void *extra, MPI_Fint *ierr);

static void copy_attr(MPI_Fint *comm, MPI_Fint *keyval, void *extra, void *in, void *out,
                      MPI_Fint *flag, MPI_Fint *ierr)
{
    MPI_Fint shown = csp_fortran_program_comm(*comm);
    ((copy_function *)recall(*keyval).copy)(&shown, keyval, extra, in, out, flag, ierr);
}

static void delete_attr(MPI_Fint *comm, MPI_Fint *keyval, void *value, void *extra, MPI_Fint *ierr)
{
    MPI_Fint shown = csp_fortran_program_comm(*comm);
    ((delete_function *)recall(*keyval).del)(&shown, keyval, value, extra, ierr);
}

static void comm_create_keyval(const void *next, copy_function *copy, delete_function *del,
                               MPI_Fint *keyval, void *extra, MPI_Fint *ierr)
{
    if (copy == copy_attr) { // one shim called through another
        ((create_function *)next)(copy, del, keyval, extra, ierr);
        return;
    }
    ((create_function *)next)(copy_attr, delete_attr, keyval, extra, ierr);
    if (*ierr == MPI_SUCCESS)
        remember(*keyval, (any_function *)copy, (any_function *)del);
}

static void keyval_create(const void *next, copy_function *copy, delete_function *del,
                          MPI_Fint *keyval, void *extra, MPI_Fint *ierr)
{
    comm_create_keyval(next, copy, del, keyval, extra, ierr);
}

#define PARAMS                                                                                     \
    (copy_function * copy, delete_function * del, MPI_Fint * keyval, void *extra, MPI_Fint *ierr)
CSP_SHIMS(comm_create_keyval, COMM_CREATE_KEYVAL, PARAMS, copy, del, keyval, extra, ierr)
CSP_SHIMS(keyval_create, KEYVAL_CREATE, PARAMS, copy, del, keyval, extra, ierr)
#endif
