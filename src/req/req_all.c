// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Calls for all requests of an array: MPI_Waitall, MPI_Testall, MPI_Request_get_status_all.
#include "req/req_mix.h"
#include "runtime/rt.h"
#include "runtime/wait.h"

enum { LOOKS = 8 }; // in a turn of MPI_Waitall, at requests of the library's that are not over

// Statuses that can be read; those of requests that are not over will say so.
static MPI_Status *readable_pending(struct csp_mix *m, MPI_Status *statuses)
{
    statuses = csp_mix_readable(m, statuses);
    for (int i = 0; m->watched && i < m->n; i++)
        statuses[i].MPI_ERROR = MPI_ERR_PENDING;
    return statuses;
}

static void end(struct csp_mix *m, MPI_Request *requests)
{
    csp_mix_hand_back(m, requests);
    csp_mix_drop(m);
}

// All of them: the last that is not done, since a ring for each of many would wake the process for nothing. It is rung if nothing else
// needs it meanwhile.
static void await_last(const struct csp_mix *m, struct csp_wait *w)
{
    int rung = m->natives == 0;
    struct csp_req *awaited = NULL;
    for (int i = m->n - 1; i >= 0 && (!awaited || rung); i--) {
        struct csp_req *r = m->own[i];
        if (!r || r->kind->done(r))
            continue;
        rung &= awaited ? r->kind->await != NULL : csp_req_await(r);
        awaited = awaited ? awaited : r;
    }
    csp_wait_rung(w, rung, awaited);
}

// The status of a request in an array that is complete: `r`, or what the library has not filled in.
static void other_status(struct csp_req *r, MPI_Request request, MPI_Status *status)
{
    if (r && !csp_req_in_library(r))
        r->kind->status(r, status);
    else if (request == MPI_REQUEST_NULL)
        csp_status_fill(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, 0);
}

// Statuses of the library's requests if all are over, where the program has some.
static int test_natives(struct csp_mix *m, int *flag, MPI_Status *statuses)
{
    *flag = 1;
    return m->natives ? csp_mpi.Testall(m->n, m->native, flag, statuses) : MPI_SUCCESS;
}

static void note_natives(struct csp_mix *m)
{
    m->left = csp_mix_room((size_t)m->n, sizeof(*m->left), m->left_store);
    m->natives = m->at = m->failed = 0;
    for (int i = 0; i < m->n; i++)
        if (m->native[i] != MPI_REQUEST_NULL)
            m->left[m->natives++] = i;
}

static int test_native(struct csp_mix *m, int i, MPI_Status *statuses)
{
    int flag = 0;
    MPI_Status *status = csp_mix_status_at(statuses, i);
    int rc = csp_mpi.Test(&m->native[i], &flag, status);
    if (rc == MPI_SUCCESS && !flag)
        return 0;
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = rc;
    m->failed |= rc != MPI_SUCCESS;
    return 1;
}

// For calls that wait for all. Each of the library's gets its turn: MPICH gets on with file operations that are collective only in calls
// for their own requests (p2p/mixed_io_all). And MPI_Testall of MPICH takes partitioned requests and those of files for failed
// (4.0.2, 5.0.2; p2p/partitioned, p2p/mixed_io), MPI_Test does not.
static void complete_natives(struct csp_mix *m, MPI_Status *statuses)
{
    int most = m->natives < LOOKS ? m->natives : LOOKS;
    for (int looks = 0; looks < most && m->natives > 0;) {
        m->at = m->at < m->natives ? m->at : 0;
        if (test_native(m, m->left[m->at], statuses)) {
            m->left[m->at] = m->left[--m->natives];
        } else {
            m->at++;
            looks++;
        }
    }
}

// All are done.
static int finish_all(struct csp_mix *m, int rc, MPI_Request *requests, MPI_Status *statuses)
{
    struct csp_req_home home = CSP_MIX_NOWHERE;
    int errors = 0;
    for (int i = 0; i < m->n; i++) {
        MPI_Status *status = csp_mix_status_at(statuses, i);
        struct csp_req *r = m->found[i];
        int code = MPI_SUCCESS;
        int watched = csp_req_in_library(r), null = !r && requests[i] == MPI_REQUEST_NULL;
        if (m->own[i])
            code = csp_mix_finish(m, i, &requests[i], status, &home);
        else
            other_status(r, requests[i], status);
        if (watched && (rc == MPI_SUCCESS || status->MPI_ERROR != MPI_ERR_PENDING))
            csp_mix_over(m, i, requests, status);
        if (status != MPI_STATUS_IGNORE && ((r && !watched) || null || rc == MPI_SUCCESS))
            status->MPI_ERROR = code;
        errors += code != MPI_SUCCESS;
    }
    end(m, requests);
    return errors ? csp_req_raise(&home, MPI_ERR_IN_STATUS) : rc;
}

static void await_all(struct csp_mix *m, MPI_Status *statuses)
{
    struct csp_wait w;
    csp_wait_begin(&w, "the last of %ld requests", (long)m->n);
    for (;;) {
        int own = csp_mix_try_own(m, 0) < 0;
        complete_natives(m, statuses);
        if (own && !m->natives)
            break;
        await_last(m, &w);
        csp_wait_turn(&w);
    }
    csp_wait_end(&w);
}

int csp_req_waitall(int n, MPI_Request *requests, MPI_Status *statuses)
{
    struct csp_mix m;
    csp_mix_begin(&m, n, requests, 1);
    statuses = readable_pending(&m, statuses);
    if (csp_mix_waits_at_library(&m))
        return finish_all(&m, csp_mpi.Waitall(n, m.native, statuses), requests, statuses);
    note_natives(&m);
    await_all(&m, statuses);
    return finish_all(&m, m.failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS, requests, statuses);
}

int csp_req_testall(int n, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    struct csp_mix m;
    int rc = MPI_SUCCESS;
    csp_mix_begin(&m, n, requests, 0);
    statuses = readable_pending(&m, statuses);
    *flag = csp_mix_try_own(&m, 0) < 0;
    if (*flag)
        rc = test_natives(&m, flag, statuses);
    if (rc != MPI_SUCCESS || *flag)
        return finish_all(&m, rc, requests, statuses);
    end(&m, requests);
    return rc;
}

#if CSP_HAVE_MPI_Request_get_status_all
int csp_req_get_status_all(int n, const MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    struct csp_mix m;
    int rc = MPI_SUCCESS;
    csp_mix_begin(&m, n, requests, 0);
    *flag = csp_mix_try_own(&m, 0) < 0;
    if (*flag && m.natives)
        rc = csp_mpi.Request_get_status_all(n, m.native, flag, statuses);
    for (int i = 0; *flag && i < n; i++)
        other_status(m.found[i], requests[i], csp_mix_status_at(statuses, i));
    csp_mix_drop(&m);
    return rc;
}
#endif
