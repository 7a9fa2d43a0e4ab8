// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Copy and delete callbacks of communicator attributes must be given MPI_COMM_WORLD where the
// library has the user world. The library gets our callbacks, and a record of the program's as
// extra state. Records live as long as the process: a keyval outlives MPI_Comm_free_keyval while
// attributes use it. User role, any thread. MPI-4.1 7.7.2.
#include <pthread.h>
#include <stdlib.h>
#include "wrap/hooks.h"

struct callbacks {
    MPI_Comm_copy_attr_function *copy;
    MPI_Comm_delete_attr_function *del;
    void *extra;
    struct callbacks *next;
};

static struct callbacks *all;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int copy_attr(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    const struct callbacks *c = extra;
    return c->copy(csp_hook_program_comm(comm), keyval, c->extra, in, out, flag);
}

static int delete_attr(MPI_Comm comm, int keyval, void *value, void *extra)
{
    const struct callbacks *c = extra;
    return c->del(csp_hook_program_comm(comm), keyval, value, c->extra);
}

// The predefined functions are constants or functions of the library: they need no translation.
static int is_program_function(uintptr_t fn)
{
    return fn >= 4096 && !csp_caller_is_mpi((const void *)fn);
}

// The record of these callbacks; the same for the same ones, so that a loop does not grow it.
static struct callbacks *record(MPI_Comm_copy_attr_function *copy,
                                MPI_Comm_delete_attr_function *del, void *extra)
{
    pthread_mutex_lock(&mutex);
    struct callbacks *c = all;
    while (c && (c->copy != copy || c->del != del || c->extra != extra))
        c = c->next;
    if (!c && (c = malloc(sizeof(*c)))) {
        *c = (struct callbacks){copy, del, extra, all};
        all = c;
    }
    pthread_mutex_unlock(&mutex);
    return c;
}

int csp_rt_comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *del,
                              int *keyval, void *extra, const void *ra)
{
    int ours_copy = is_program_function((uintptr_t)copy);
    int ours_del = is_program_function((uintptr_t)del);
    struct callbacks *c = NULL;
    if ((ours_copy || ours_del) && !csp_caller_is_binding(ra)) // a binding's have another form
        c = record(copy, del, extra);
    if (!c)
        return csp_mpi.Comm_create_keyval(copy, del, keyval, extra);
    return csp_mpi.Comm_create_keyval(ours_copy ? copy_attr : copy, ours_del ? delete_attr : del,
                                      keyval, c);
}
