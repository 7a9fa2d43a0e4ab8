// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Casper's counters as performance variables of the tool interface (MPI-4.1 15.3.7): behind those that the library had
// when it was first asked; what it adds later comes behind Casper's, so that an index stays what it is. Bound to
// no object, continuous, read-only. Variables of the library's may be bound to MPI_COMM_WORLD. User role, any thread, also before MPI_Init.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include "runtime/counters.h"
#include "wrap/hooks.h"

enum { HANDLES = 1024 }; // of Casper's variables at a time

struct handle {
    MPI_T_pvar_session session;
    int used, counter;
};

static struct handle handles[HANDLES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int base = -1; // index of the first of Casper's

// Fails where the library does, such as before MPI_T_init_thread.
static int find_base(int *first)
{
    int n = 0, unknown = -1;
    int rc = csp_mpi.T_pvar_get_num(&n);
    if (rc == MPI_SUCCESS)
        atomic_compare_exchange_strong(&base, &unknown, n);
    *first = atomic_load(&base);
    return rc;
}

// The number of a counter, or -1: the library's.
static int counter_of(int index, int first)
{
    return index >= first && index < first + csp_counters() ? index - first : -1;
}

static int to_library(int index, int first)
{
    return index < first ? index : index - csp_counters();
}

static int from_library(int index, int first)
{
    return index < first ? index : index + csp_counters();
}

static struct handle *own(MPI_T_pvar_handle handle)
{
    struct handle *h = (struct handle *)handle;
    return h >= handles && h < handles + HANDLES ? h : NULL;
}

static int var_class_of(const struct csp_counter *c)
{
    return c->unit == CSP_COUNTER_NS ? MPI_T_PVAR_CLASS_TIMER : MPI_T_PVAR_CLASS_COUNTER;
}

int csp_rt_t_pvar_get_num(int *num)
{
    int first, rc = csp_mpi.T_pvar_get_num(num);
    if (rc == MPI_SUCCESS)
        rc = find_base(&first);
    if (rc == MPI_SUCCESS)
        *num += csp_counters();
    return rc;
}

// What fits; *len becomes what the whole needs (MPI-4.1 15.3.3).
static void give_text(const char *from, char *text, int *len)
{
    if (!len)
        return;
    if (text && *len > 0)
        snprintf(text, (size_t)*len, "%s", from);
    *len = (int)strlen(from) + 1;
}

static void give(int *to, int value)
{
    if (to)
        *to = value;
}

int csp_rt_t_pvar_get_info(int index, char *name, int *name_len, int *verbosity, int *var_class,
                           MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len,
                           int *bind, int *readonly, int *continuous, int *atomic)
{
    int first, rc = find_base(&first);
    if (rc != MPI_SUCCESS)
        return rc;
    int i = counter_of(index, first);
    if (i < 0)
        return csp_mpi.T_pvar_get_info(to_library(index, first), name, name_len, verbosity,
                                       var_class, datatype, enumtype, desc, desc_len, bind,
                                       readonly, continuous, atomic);
    const struct csp_counter *c = csp_counter_at(i);
    give_text(c->name, name, name_len);
    give_text(c->help, desc, desc_len);
    give(verbosity, MPI_T_VERBOSITY_USER_BASIC);
    give(var_class, var_class_of(c));
    if (datatype)
        *datatype = MPI_UNSIGNED_LONG_LONG;
    if (enumtype)
        *enumtype = MPI_T_ENUM_NULL;
    give(bind, MPI_T_BIND_NO_OBJECT);
    give(readonly, 1);
    give(continuous, 1);
    give(atomic, 0);
    return MPI_SUCCESS;
}

int csp_rt_t_pvar_get_index(const char *name, int var_class, int *index)
{
    int first, rc = find_base(&first);
    if (rc != MPI_SUCCESS)
        return rc;
    for (int i = 0; name && index && i < csp_counters(); i++)
        if (strcmp(name, csp_counter_at(i)->name) == 0 &&
            var_class == var_class_of(csp_counter_at(i))) {
            *index = first + i;
            return MPI_SUCCESS;
        }
    rc = csp_mpi.T_pvar_get_index(name, var_class, index);
    if (rc == MPI_SUCCESS && index)
        *index = from_library(*index, first);
    return rc;
}

int csp_rt_t_category_get_pvars(int category, int len, int indices[])
{
    int first, n = 0, name_len = 0, desc_len = 0, cvars, categories, rc = find_base(&first);
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.T_category_get_info(category, NULL, &name_len, NULL, &desc_len, &cvars, &n,
                                         &categories);
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.T_category_get_pvars(category, len, indices);
    for (int i = 0; rc == MPI_SUCCESS && i < n && i < len; i++)
        indices[i] = from_library(indices[i], first);
    return rc;
}

static struct handle *take(MPI_T_pvar_session session, int counter)
{
    struct handle *h = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < HANDLES && !h; i++)
        h = handles[i].used ? NULL : &handles[i];
    if (h)
        *h = (struct handle){session, 1, counter};
    pthread_mutex_unlock(&lock);
    return h;
}

// What a variable of the library's is bound to: the program's MPI_COMM_WORLD is another one than the library's.
static void *object_of(int bind, void *object)
{
    int is_world = bind == MPI_T_BIND_MPI_COMM && object && *(MPI_Comm *)object == MPI_COMM_WORLD;
    return is_world ? &csp_user_world : object;
}

int csp_rt_t_cvar_handle_alloc(int index, void *object, MPI_T_cvar_handle *handle, int *count)
{
    int bind = MPI_T_BIND_NO_OBJECT, name_len = 0, desc_len = 0;
    int rc = csp_mpi.T_cvar_get_info(index, NULL, &name_len, NULL, NULL, NULL, NULL, &desc_len,
                                     &bind, NULL);
    if (rc != MPI_SUCCESS)
        return rc;
    return csp_mpi.T_cvar_handle_alloc(index, object_of(bind, object), handle, count);
}

static int alloc_library_handle(MPI_T_pvar_session session, int index, void *object,
                                MPI_T_pvar_handle *handle, int *count)
{
    int bind = MPI_T_BIND_NO_OBJECT, name_len = 0, desc_len = 0;
    int rc = csp_mpi.T_pvar_get_info(index, NULL, &name_len, NULL, NULL, NULL, NULL, NULL,
                                     &desc_len, &bind, NULL, NULL, NULL);
    if (rc != MPI_SUCCESS)
        return rc;
    return csp_mpi.T_pvar_handle_alloc(session, index, object_of(bind, object), handle, count);
}

int csp_rt_t_pvar_handle_alloc(MPI_T_pvar_session session, int index, void *object,
                               MPI_T_pvar_handle *handle, int *count)
{
    int first, rc = find_base(&first);
    if (rc != MPI_SUCCESS)
        return rc;
    int i = counter_of(index, first);
    if (i < 0)
        return alloc_library_handle(session, to_library(index, first), object, handle, count);
    if (session == MPI_T_PVAR_SESSION_NULL)
        return MPI_T_ERR_INVALID_SESSION;
    struct handle *h = take(session, i);
    if (!h)
        return MPI_T_ERR_OUT_OF_HANDLES;
    *handle = (MPI_T_pvar_handle)h;
    *count = 1;
    return MPI_SUCCESS;
}

// Whether it is a live handle of that session.
static int check(MPI_T_pvar_session session, const struct handle *h)
{
    if (!h->used)
        return MPI_T_ERR_INVALID_HANDLE;
    return h->session == session ? MPI_SUCCESS : MPI_T_ERR_INVALID_SESSION;
}

int csp_rt_t_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
    struct handle *h = own(*handle);
    if (!h)
        return csp_mpi.T_pvar_handle_free(session, handle);
    pthread_mutex_lock(&lock);
    int rc = check(session, h);
    if (rc == MPI_SUCCESS) {
        h->used = 0;
        *handle = MPI_T_PVAR_HANDLE_NULL;
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

// Its handles end with it.
int csp_rt_t_pvar_session_free(MPI_T_pvar_session *session)
{
    MPI_T_pvar_session ended = *session;
    int rc = csp_mpi.T_pvar_session_free(session);
    pthread_mutex_lock(&lock);
    for (int i = 0; rc == MPI_SUCCESS && i < HANDLES; i++)
        if (handles[i].session == ended)
            handles[i].used = 0;
    pthread_mutex_unlock(&lock);
    return rc;
}

int csp_rt_t_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    const struct handle *h = own(handle);
    if (!h)
        return csp_mpi.T_pvar_read(session, handle, buf);
    pthread_mutex_lock(&lock);
    int rc = check(session, h), counter = h->counter;
    pthread_mutex_unlock(&lock);
    if (rc == MPI_SUCCESS) {
        unsigned long long value = csp_counter_value(counter);
        memcpy(buf, &value, sizeof(value));
    }
    return rc;
}

int csp_rt_t_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return own(handle) ? MPI_T_ERR_PVAR_NO_STARTSTOP : csp_mpi.T_pvar_start(session, handle);
}

int csp_rt_t_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return own(handle) ? MPI_T_ERR_PVAR_NO_STARTSTOP : csp_mpi.T_pvar_stop(session, handle);
}

int csp_rt_t_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf)
{
    return own(handle) ? MPI_T_ERR_PVAR_NO_WRITE : csp_mpi.T_pvar_write(session, handle, buf);
}

int csp_rt_t_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return own(handle) ? MPI_T_ERR_PVAR_NO_WRITE : csp_mpi.T_pvar_reset(session, handle);
}

int csp_rt_t_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
    return own(handle) ? MPI_T_ERR_PVAR_NO_ATOMIC : csp_mpi.T_pvar_readreset(session, handle, buf);
}
