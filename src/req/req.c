// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "req/req.h"

#include <pthread.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/handles.h"
#include "runtime/am.h"
#include "runtime/detours.h"
#include "runtime/rt.h"
#include "runtime/threads.h"
#include "runtime/wait.h"

enum { LOOKS = 8 }; // at a request between two turns of a wait

static struct csp_handles requests = CSP_HANDLES_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // the rest, and what is idle
static struct csp_req_kind *kinds;                       // that have been used

struct csp_req *csp_req_find(MPI_Request request)
{
    return csp_handles_find(&requests, (uintptr_t)request);
}

int csp_req_any(int n, const MPI_Request *array)
{
    for (int i = 0; i < n; i++)
        if (csp_req_find(array[i]))
            return 1;
    return 0;
}

static struct csp_req *make(struct csp_req_kind *kind)
{
    struct csp_req *r = calloc(1, kind->bytes);
    CSP_CHECK(r, "out of memory for a request");
    r->kind = kind;
    int rc = csp_mpi.Recv_init(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, csp_rt.self, &r->handle);
    CSP_CHECK(rc == MPI_SUCCESS, "the MPI library could not make a request");
    csp_handles_put(&requests, (uintptr_t)r->handle, r);
    return r;
}

// Caller holds `lock`.
static void note(struct csp_req_kind *kind)
{
    struct csp_req_kind *k = kinds;
    while (k && k != kind)
        k = k->next;
    if (k)
        return;
    kind->next = kinds;
    kinds = kind;
    csp_detour_open(CSP_BY_REQ); // the program gets the handle later
}

struct csp_req *csp_req_take(struct csp_req_kind *kind)
{
    csp_threads_lock(&lock);
    struct csp_req *r = kind->idle;
    if (r)
        kind->idle = r->next;
    else
        note(kind);
    csp_threads_unlock(&lock);
    if (!r)
        r = make(kind);
    r->inner = MPI_REQUEST_NULL;
    r->persistent = r->by_library = 0;
    r->active = 1;
    return r;
}

void csp_req_give(struct csp_req *r)
{
    if (r->inner != MPI_REQUEST_NULL)
        csp_mpi.Request_free(&r->inner);
    csp_threads_lock(&lock);
    r->next = r->kind->idle;
    r->kind->idle = r;
    csp_threads_unlock(&lock);
}

static void stop(struct csp_req_kind *kind)
{
    while (kind->idle) {
        struct csp_req *r = kind->idle;
        kind->idle = r->next;
        csp_handles_drop(&requests, (uintptr_t)r->handle, r);
        csp_mpi.Request_free(&r->handle);
        free(r);
    }
}

void csp_req_stop(void)
{
    csp_detour_close(CSP_BY_REQ);
    for (; kinds; kinds = kinds->next)
        stop(kinds);
}

static MPI_Status blank;
static pthread_once_t blank_made = PTHREAD_ONCE_INIT;

static void make_blank(void)
{
    csp_mpi.Status_set_cancelled(&blank, 0); // the elements are set in every copy
}

// From a copy, as threads that set this one after the other's status would wait for the library's lock. MPI_ERROR stays (3.2.5).
static void not_cancelled(MPI_Status *status)
{
    int error = status->MPI_ERROR;
    pthread_once(&blank_made, make_blank);
    *status = blank;
    status->MPI_ERROR = error;
}

void csp_status_fill(MPI_Status *status, int source, int tag, uint64_t bytes, int cancelled)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    not_cancelled(status);
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
#if CSP_HAVE_MPI_Status_set_elements_c
    csp_mpi.Status_set_elements_c(status, MPI_BYTE, (MPI_Count)bytes);
#elif CSP_HAVE_MPI_Status_set_elements_x
    csp_mpi.Status_set_elements_x(status, MPI_BYTE, (MPI_Count)bytes);
#else
    csp_mpi.Status_set_elements(status, MPI_BYTE, (int)bytes);
#endif
    if (cancelled)
        csp_mpi.Status_set_cancelled(status, cancelled);
}

// With the handler of a communicator that is gone. Nothing is held while it runs: it may call MPI, or not return.
static void raise_left(MPI_Errhandler handler, int code)
{
    MPI_Comm comm = MPI_COMM_NULL;
    pthread_mutex_lock(&lock);
    int rc = csp_mpi.Comm_dup(csp_rt.self, &comm);
    pthread_mutex_unlock(&lock);
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.Comm_set_errhandler(comm, handler);
    CSP_CHECK(rc == MPI_SUCCESS, "the MPI library could not make a communicator for an error");
    csp_mpi.Comm_call_errhandler(comm, code);
    csp_mpi.Comm_free(&comm);
}

int csp_req_raise(const struct csp_req_home *home, int code)
{
    if (code == MPI_SUCCESS)
        return code;
    if (home->comm != MPI_COMM_NULL)
        csp_mpi.Comm_call_errhandler(home->comm, code);
    if (home->win != MPI_WIN_NULL)
        csp_mpi.Win_call_errhandler(home->win, code);
    if (home->left)
        raise_left(*home->left, code);
    return code;
}

int csp_req_conclude(struct csp_req *r, MPI_Request *request, MPI_Status *status)
{
    struct csp_req_home home = r->kind->home(r);
    return csp_req_raise(&home, r->kind->finish(r, request, status));
}

int csp_req_done_now(struct csp_req *r)
{
    if (r->kind->done(r))
        return 1;
    csp_am_poll(1);
    return r->kind->done(r);
}

// A look at a cell costs a few ns, a turn of a wait several hundred.
static int soon_done(struct csp_req *r)
{
    for (int i = 0; i < LOOKS; i++) {
        if (r->kind->done(r))
            return 1;
        csp_cpu_relax();
    }
    return 0;
}

static int library_test(struct csp_req *r, MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Status own, *s = csp_status_readable(status, &own);
    int rc = csp_mpi.Test(&r->inner, flag, s);
    if (rc != MPI_SUCCESS || *flag)
        r->kind->over(r, request, s);
    return rc;
}

static int library_wait(struct csp_req *r, MPI_Request *request, MPI_Status *status)
{
    MPI_Status own, *s = csp_status_readable(status, &own);
    r->waits_ns = csp_clock_ns();
    int rc = csp_mpi.Wait(&r->inner, s);
    r->kind->over(r, request, s);
    return rc;
}

int csp_req_test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct csp_req *r = csp_req_find(*request);
    if (!r || !r->active)
        return csp_mpi.Test(request, flag, status);
    r->waits_ns = 0;
    if (r->by_library)
        return library_test(r, request, flag, status);
    *flag = csp_req_done_now(r);
    return *flag ? csp_req_conclude(r, request, status) : MPI_SUCCESS;
}

int csp_req_wait(MPI_Request *request, MPI_Status *status)
{
    struct csp_req *r = csp_req_find(*request);
    if (!r || !r->active)
        return csp_mpi.Wait(request, status);
    if (r->by_library)
        return library_wait(r, request, status);
    r->waits_ns = 0;
    if (!r->kind->done(r)) {
        struct csp_wait w;
        r->waits_ns = csp_clock_ns();
        r->kind->say(r, &w);
        while (!soon_done(r)) {
            csp_wait_rung(&w, csp_req_await(r), NULL);
            csp_wait_turn(&w);
        }
        csp_wait_end(&w);
    }
    return csp_req_conclude(r, request, status);
}

// Whether it is over: then its data are in the program's buffer, too.
static int is_shown(struct csp_req *r, MPI_Status *status)
{
    int is_over = !r->active || r->kind->done(r);
    if (is_over)
        r->kind->status(r, status);
    return is_over;
}

int csp_req_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    struct csp_req *r = csp_req_find(request);
    if (csp_req_in_library(r))
        return csp_mpi.Request_get_status(r->inner, flag, status);
    csp_am_poll(1);
    *flag = is_shown(r, status);
    return MPI_SUCCESS;
}

#if CSP_HAVE_MPIX_Request_is_complete
int csp_req_is_complete(MPI_Request request)
{
    struct csp_req *r = csp_req_find(request);
    if (csp_req_in_library(r))
        return csp_mpi.X_Request_is_complete(r->inner);
    return is_shown(r, MPI_STATUS_IGNORE);
}
#endif

static int refuse(const struct csp_req *r)
{
    struct csp_req_home home = r->kind->home(r);
    return csp_req_raise(&home, MPI_ERR_REQUEST);
}

int csp_req_start_all(int n, MPI_Request *array)
{
    for (int i = 0; i < n; i++) {
        struct csp_req *r = csp_req_find(array[i]);
        int rc = MPI_SUCCESS;
        if (!r)
            rc = csp_mpi.Start(&array[i]);
        else if (!r->persistent || r->active)
            rc = refuse(r);
        else
            rc = r->kind->start(r);
        if (rc != MPI_SUCCESS)
            return rc;
    }
    return MPI_SUCCESS;
}

int csp_req_cancel(MPI_Request *request)
{
    struct csp_req *r = csp_req_find(*request);
    if (!r->active || !r->kind->cancel)
        return refuse(r);
    return csp_req_in_library(r) ? csp_mpi.Cancel(&r->inner) : r->kind->cancel(r);
}

int csp_req_free(MPI_Request *request)
{
    struct csp_req *r = csp_req_find(*request);
    return r->kind->free ? r->kind->free(r, request) : refuse(r);
}
