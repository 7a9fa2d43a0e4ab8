// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Calls for one or some requests of an array: MPI_Waitany, MPI_Waitsome, their tests and what asks for a status.
#include "req/req_mix.h"
#include "runtime/am.h"
#include "runtime/rt.h"
#include "runtime/wait.h"

// What is waited for is one of them. The process is rung if it is for each.
static void await_each(const struct csp_mix *m, struct csp_wait *w)
{
    int rung = m->natives == 0;
    for (int i = 0; i < m->n; i++)
        if (m->own[i])
            rung &= csp_req_await(m->own[i]);
    csp_wait_rung(w, rung, NULL);
    csp_wait_turn(w);
}

// One is over, and the call; the others stay.
static void leave_others(struct csp_mix *m, const struct csp_wait *w)
{
    csp_wait_end(w);
    for (int i = 0; i < m->n; i++)
        if (m->own[i])
            csp_req_leave(m->own[i]);
    csp_mix_drop(m);
}

// Without one of its own to speak for, the library says that there is none.
static int only_own_left(const struct csp_mix *m, int index)
{
    return index == MPI_UNDEFINED && m->actives;
}

// One of those that the library has.
static int library_any(struct csp_mix *m, MPI_Request *requests, int *index, int *flag,
                       MPI_Status *status)
{
    MPI_Status own;
    int rc;
    if (m->watched)
        status = csp_status_readable(status, &own);
    *index = MPI_UNDEFINED;
    if (csp_mix_waits_at_library(m)) {
        *flag = 1;
        rc = csp_mpi.Waitany(m->n, m->native, index, status);
    } else {
        rc = csp_mpi.Testany(m->n, m->native, index, flag, status);
    }
    if (*flag && *index != MPI_UNDEFINED)
        csp_mix_over(m, *index, requests, status);
    *flag = *flag && !only_own_left(m, *index);
    return rc;
}

static int try_any(struct csp_mix *m, MPI_Request *requests, int *index, int *flag,
                   MPI_Status *status)
{
    int rc;
    csp_mix_look(m, requests);
    *index = csp_mix_try_own(m, 1);
    *flag = *index >= 0;
    if (*flag) {
        rc = csp_req_conclude(m->own[*index], &requests[*index], status);
        m->own[*index] = NULL;
    } else {
        rc = library_any(m, requests, index, flag, status);
    }
    csp_mix_hand_back(m, requests);
    return rc;
}

int csp_req_testany(int n, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
    struct csp_mix m;
    csp_mix_make(&m, n, 0);
    int rc = try_any(&m, requests, index, flag, status);
    csp_mix_drop(&m);
    return rc;
}

int csp_req_waitany(int n, MPI_Request *requests, int *index, MPI_Status *status)
{
    struct csp_mix m;
    struct csp_wait w;
    int flag, rc;
    csp_mix_make(&m, n, 1);
    csp_wait_begin(&w, "one of %ld requests", (long)n);
    while ((rc = try_any(&m, requests, index, &flag, status)) == MPI_SUCCESS && !flag)
        await_each(&m, &w);
    leave_others(&m, &w);
    return rc;
}

static int library_some(struct csp_mix *m, MPI_Request *requests, int *outcount, int *indices,
                        MPI_Status *statuses)
{
    statuses = csp_mix_readable(m, statuses);
    *outcount = 0; // an array that the library refuses
    int rc = csp_mix_waits_at_library(m)
                 ? csp_mpi.Waitsome(m->n, m->native, outcount, indices, statuses)
                 : csp_mpi.Testsome(m->n, m->native, outcount, indices, statuses);
    for (int i = 0; *outcount != MPI_UNDEFINED && i < *outcount; i++) {
        if (m->watched)
            csp_mix_over(m, indices[i], requests, &statuses[i]);
        if (rc == MPI_SUCCESS && statuses != MPI_STATUSES_IGNORE)
            statuses[i].MPI_ERROR = MPI_SUCCESS; // it counts if one of Casper's fails
    }
    return rc;
}

// `done`: how many are over by now. The library's MPI_UNDEFINED, for "none is active", holds if ghosts have none either.
static void set_outcount(const struct csp_mix *m, int done, int *outcount)
{
    if (*outcount != MPI_UNDEFINED || m->actives)
        *outcount = done;
}

static int try_some(struct csp_mix *m, MPI_Request *requests, int *outcount, int *indices,
                    MPI_Status *statuses)
{
    struct csp_req_home home = CSP_MIX_NOWHERE;
    int errors = 0, done = 0;
    csp_mix_look(m, requests);
    csp_am_poll(1);
    int rc = library_some(m, requests, outcount, indices, statuses);
    if (*outcount != MPI_UNDEFINED)
        done = *outcount;
    for (int i = 0; i < m->n; i++) {
        if (!m->own[i] || !m->own[i]->kind->done(m->own[i]))
            continue;
        MPI_Status *status = csp_mix_status_at(statuses, done);
        int code = csp_mix_finish(m, i, &requests[i], status, &home);
        if (status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = code;
        errors += code != MPI_SUCCESS;
        indices[done++] = i;
    }
    set_outcount(m, done, outcount);
    csp_mix_hand_back(m, requests);
    return errors ? csp_req_raise(&home, MPI_ERR_IN_STATUS) : rc;
}

int csp_req_testsome(int n, MPI_Request *requests, int *outcount, int *indices,
                     MPI_Status *statuses)
{
    struct csp_mix m;
    csp_mix_make(&m, n, 0);
    int rc = try_some(&m, requests, outcount, indices, statuses);
    csp_mix_drop(&m);
    return rc;
}

int csp_req_waitsome(int n, MPI_Request *requests, int *outcount, int *indices,
                     MPI_Status *statuses)
{
    struct csp_mix m;
    struct csp_wait w;
    int rc;
    csp_mix_make(&m, n, 1);
    csp_wait_begin(&w, "some of %ld requests", (long)n);
    while ((rc = try_some(&m, requests, outcount, indices, statuses)) == MPI_SUCCESS &&
           *outcount == 0)
        await_each(&m, &w);
    leave_others(&m, &w);
    return rc;
}

#if CSP_HAVE_MPI_Request_get_status_all
int csp_req_get_status_any(int n, const MPI_Request *requests, int *index, int *flag,
                           MPI_Status *status)
{
    struct csp_mix m;
    int rc = MPI_SUCCESS;
    csp_mix_begin(&m, n, requests, 0);
    *index = csp_mix_try_own(&m, 1);
    *flag = *index >= 0;
    if (*flag)
        m.own[*index]->kind->status(m.own[*index], status);
    else
        rc = csp_mpi.Request_get_status_any(n, m.native, index, flag, status);
    *flag = *flag && !only_own_left(&m, *index);
    csp_mix_drop(&m);
    return rc;
}

int csp_req_get_status_some(int n, const MPI_Request *requests, int *outcount, int *indices,
                            MPI_Status *statuses)
{
    struct csp_mix m;
    csp_mix_begin(&m, n, requests, 0);
    csp_am_poll(1);
    *outcount = 0;
    int rc = csp_mpi.Request_get_status_some(n, m.native, outcount, indices, statuses);
    int done = *outcount == MPI_UNDEFINED ? 0 : *outcount;
    for (int i = 0; i < n; i++)
        if (m.own[i] && m.own[i]->kind->done(m.own[i])) {
            m.own[i]->kind->status(m.own[i], csp_mix_status_at(statuses, done));
            indices[done++] = i;
        }
    set_outcount(&m, done, outcount);
    csp_mix_drop(&m);
    return rc;
}
#endif
