// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Completion (MPI-4.1 3.7.3, 3.7.5) of arrays in which requests of Casper's and of the MPI library's are mixed. The
// library gets its own, and what it does for Casper's, in an array of the same length, with MPI_REQUEST_NULL at the places of the
// others.
#include <stdlib.h>
#include "base/clock.h"
#include "req/req.h"
#include "runtime/am.h"
#include "runtime/rt.h"
#include "runtime/wait.h"

enum {
    ON_STACK = 32,
    LOOKS = 8, // in a turn of MPI_Waitall, at requests of the library's that are not over
};

#define NOWHERE {MPI_COMM_NULL, MPI_WIN_NULL, NULL}

struct mix {
    int n;
    int natives, actives;    // requests that the library has; active ones that ghosts have
    int watched;             // of the library's, those behind requests of Casper's
    int failed;              // MPI_Waitall: one of the library's,
    int *left;               // of which `natives` at these places are not over,
    int at;                  // and this one of them is looked at next
    struct csp_req *awaited; // the one of Casper's that ends its sleep
    MPI_Request *native;     // those the library has, MPI_REQUEST_NULL for others
    // Casper's, NULL for others: a request of the library's that is over may be another thread's carrier by now.
    struct csp_req **found;
    struct csp_req **own; // of these, those that ghosts have
    MPI_Status *statuses; // read in the program's place
    uint64_t waits_ns;    // since when the call waits, or 0
    MPI_Request native_store[ON_STACK];
    struct csp_req *found_store[ON_STACK];
    struct csp_req *own_store[ON_STACK];
    int left_store[ON_STACK];
    MPI_Status status_store[ON_STACK];
};

static void *room(size_t n, size_t bytes, void *store)
{
    void *p = n <= ON_STACK ? store : malloc(n * bytes);
    CSP_CHECK(p, "out of memory for %zu requests", n);
    return p;
}

// `waits`: the call goes on until something is complete.
static void make(struct mix *m, int n, int waits)
{
    m->n = n;
    m->waits_ns = waits ? csp_clock_ns() : 0;
    m->statuses = NULL;
    m->left = m->left_store;
    m->native = room((size_t)n, sizeof(*m->native), m->native_store);
    m->found = room((size_t)n, sizeof(struct csp_req *), m->found_store);
    m->own = room((size_t)n, sizeof(struct csp_req *), m->own_store);
}

// Who has which request now.
static void look(struct mix *m, const MPI_Request *requests)
{
    m->natives = m->actives = m->watched = 0;
    for (int i = 0; i < m->n; i++) {
        struct csp_req *r = csp_req_find(requests[i]);
        int watched = csp_req_in_library(r);
        m->found[i] = r;
        m->own[i] = r && r->active && !watched ? r : NULL;
        m->native[i] = watched ? r->inner : r ? MPI_REQUEST_NULL : requests[i];
        if (r && r->active)
            r->waits_ns = m->waits_ns;
        m->watched += watched;
        m->actives += m->own[i] != NULL;
        m->natives += m->native[i] != MPI_REQUEST_NULL;
    }
}

static void begin(struct mix *m, int n, const MPI_Request *requests, int waits)
{
    make(m, n, waits);
    look(m, requests);
}

// Whether the call waits, the library has all that it waits for, and some of it is Casper's: then it waits in the library's way.
static int waits_at_library(const struct mix *m)
{
    return m->waits_ns && m->watched && !m->actives;
}

// The program's statuses, or others that can be read.
static MPI_Status *readable(struct mix *m, MPI_Status *statuses)
{
    if (!m->watched || statuses != MPI_STATUSES_IGNORE)
        return statuses;
    if (!m->statuses)
        m->statuses = room((size_t)m->n, sizeof(*statuses), m->status_store);
    return m->statuses;
}

// Likewise; those of requests that are not over will say so.
static MPI_Status *readable_pending(struct mix *m, MPI_Status *statuses)
{
    statuses = readable(m, statuses);
    for (int i = 0; m->watched && i < m->n; i++)
        statuses[i].MPI_ERROR = MPI_ERR_PENDING;
    return statuses;
}

static void drop(struct mix *m)
{
    if (m->native != m->native_store)
        free(m->native);
    if (m->found != m->found_store)
        free(m->found);
    if (m->own != m->own_store)
        free(m->own);
    if (m->left != m->left_store)
        free(m->left);
    if (m->statuses != m->status_store)
        free(m->statuses); // NOLINT(clang-analyzer-unix.Malloc): never MPI_STATUSES_IGNORE
}

// The library's request at `i` is over: if it is behind one of Casper's, so is that.
static void library_over(struct mix *m, int i, MPI_Request *requests, const MPI_Status *status)
{
    struct csp_req *r = m->found[i];
    if (!csp_req_in_library(r))
        return;
    r->inner = m->native[i];
    r->kind->over(r, &requests[i], status);
}

// Requests of the library's may be over by now.
static void hand_back(const struct mix *m, MPI_Request *requests)
{
    for (int i = 0; i < m->n; i++)
        if (!m->found[i] && requests[i] != MPI_REQUEST_NULL)
            requests[i] = m->native[i];
}

static void end(struct mix *m, MPI_Request *requests)
{
    hand_back(m, requests);
    drop(m);
}

// The first that ghosts have and that is done, or (`done` 0) is not; -1: there is none.
static int find_own(const struct mix *m, int done)
{
    for (int i = 0; i < m->n; i++)
        if (m->own[i] && !m->own[i]->kind->done(m->own[i]) == !done)
            return i;
    return -1;
}

// What is waited for is one of them. @return 1 if the process is rung for each.
static int await_each(const struct mix *m)
{
    int rung = m->natives == 0;
    for (int i = 0; i < m->n; i++)
        if (m->own[i])
            rung &= csp_req_await(m->own[i]);
    return rung;
}

// One is over, and the call; the others stay.
static void leave_others(const struct mix *m)
{
    for (int i = 0; i < m->n; i++)
        if (m->own[i])
            csp_req_leave(m->own[i]);
}

// All of them: the last that is not done, since a ring for each of many would wake the process for nothing. It is rung if nothing else
// needs it meanwhile.
static void await_last(struct mix *m, struct csp_wait *w)
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
    if (awaited != m->awaited || rung != w->rung)
        csp_wait_anew(w);
    m->awaited = awaited;
    w->rung = rung;
}

static MPI_Status *status_at(MPI_Status *statuses, int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

// Without one of its own to speak for, the library says that there is none.
static int only_own_left(const struct mix *m, int index)
{
    return index == MPI_UNDEFINED && m->actives;
}

// The status of a request in an array that is complete: `r`, or what the library has not filled in.
static void other_status(struct csp_req *r, MPI_Request request, MPI_Status *status)
{
    if (r && !csp_req_in_library(r))
        r->kind->status(r, status);
    else if (request == MPI_REQUEST_NULL)
        csp_status_fill(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, 0);
}

// One of Casper's, which is done. *home: where its error belongs.
static int finish(struct mix *m, int i, MPI_Request *request, MPI_Status *status,
                  struct csp_req_home *home)
{
    struct csp_req_home its = m->own[i]->kind->home(m->own[i]);
    int error = m->own[i]->kind->finish(m->own[i], request, status);
    m->own[i] = NULL;
    if (error != MPI_SUCCESS)
        *home = its;
    return error;
}

// Statuses of the library's requests if all are over, where the program has some.
static int test_natives(struct mix *m, int *flag, MPI_Status *statuses)
{
    *flag = 1;
    return m->natives ? csp_mpi.Testall(m->n, m->native, flag, statuses) : MPI_SUCCESS;
}

static void note_natives(struct mix *m)
{
    m->left = room((size_t)m->n, sizeof(*m->left), m->left_store);
    m->natives = m->at = m->failed = 0;
    m->awaited = NULL;
    for (int i = 0; i < m->n; i++)
        if (m->native[i] != MPI_REQUEST_NULL)
            m->left[m->natives++] = i;
}

static int test_native(struct mix *m, int i, MPI_Status *statuses)
{
    int flag = 0;
    MPI_Status *status = status_at(statuses, i);
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
static void complete_natives(struct mix *m, MPI_Status *statuses)
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
static int finish_all(struct mix *m, int rc, MPI_Request *requests, MPI_Status *statuses)
{
    struct csp_req_home home = NOWHERE;
    int errors = 0;
    for (int i = 0; i < m->n; i++) {
        MPI_Status *status = status_at(statuses, i);
        struct csp_req *r = m->found[i];
        int code = MPI_SUCCESS;
        int watched = csp_req_in_library(r);
        if (m->own[i])
            code = finish(m, i, &requests[i], status, &home);
        else
            other_status(r, requests[i], status);
        if (watched && (rc == MPI_SUCCESS || status->MPI_ERROR != MPI_ERR_PENDING))
            library_over(m, i, requests, status);
        if (status != MPI_STATUS_IGNORE && ((r && !watched) || rc == MPI_SUCCESS))
            status->MPI_ERROR = code;
        errors += code != MPI_SUCCESS;
    }
    end(m, requests);
    return errors ? csp_req_raise(&home, MPI_ERR_IN_STATUS) : rc;
}

// Whether all of Casper's are done.
static int try_own(const struct mix *m)
{
    if (find_own(m, 0) < 0)
        return 1;
    csp_am_poll(1);
    return find_own(m, 0) < 0;
}

static void await_all(struct mix *m, MPI_Status *statuses)
{
    struct csp_wait w;
    csp_wait_begin(&w, "the last of %ld requests", (long)m->n);
    for (;;) {
        int own = try_own(m);
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
    struct mix m;
    begin(&m, n, requests, 1);
    statuses = readable_pending(&m, statuses);
    if (waits_at_library(&m))
        return finish_all(&m, csp_mpi.Waitall(n, m.native, statuses), requests, statuses);
    note_natives(&m);
    await_all(&m, statuses);
    return finish_all(&m, m.failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS, requests, statuses);
}

int csp_req_testall(int n, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    struct mix m;
    int rc = MPI_SUCCESS;
    begin(&m, n, requests, 0);
    statuses = readable_pending(&m, statuses);
    *flag = try_own(&m);
    if (*flag)
        rc = test_natives(&m, flag, statuses);
    if (rc != MPI_SUCCESS || *flag)
        return finish_all(&m, rc, requests, statuses);
    end(&m, requests);
    return rc;
}

// One of those that the library has.
static int library_any(struct mix *m, MPI_Request *requests, int *index, int *flag,
                       MPI_Status *status)
{
    MPI_Status own;
    int rc;
    if (m->watched)
        status = csp_status_readable(status, &own);
    *index = MPI_UNDEFINED;
    if (waits_at_library(m)) {
        *flag = 1;
        rc = csp_mpi.Waitany(m->n, m->native, index, status);
    } else {
        rc = csp_mpi.Testany(m->n, m->native, index, flag, status);
    }
    if (*flag && *index != MPI_UNDEFINED)
        library_over(m, *index, requests, status);
    *flag = *flag && !only_own_left(m, *index);
    return rc;
}

static int try_any(struct mix *m, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
    int rc;
    look(m, requests);
    *index = find_own(m, 1);
    if (*index < 0) {
        csp_am_poll(1);
        *index = find_own(m, 1);
    }
    *flag = *index >= 0;
    if (*flag) {
        rc = csp_req_conclude(m->own[*index], &requests[*index], status);
        m->own[*index] = NULL;
    } else {
        rc = library_any(m, requests, index, flag, status);
    }
    hand_back(m, requests);
    return rc;
}

int csp_req_testany(int n, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
    struct mix m;
    make(&m, n, 0);
    int rc = try_any(&m, requests, index, flag, status);
    drop(&m);
    return rc;
}

int csp_req_waitany(int n, MPI_Request *requests, int *index, MPI_Status *status)
{
    struct mix m;
    struct csp_wait w;
    int flag, rc;
    make(&m, n, 1);
    csp_wait_begin(&w, "one of %ld requests", (long)n);
    while ((rc = try_any(&m, requests, index, &flag, status)) == MPI_SUCCESS && !flag) {
        w.rung = await_each(&m);
        csp_wait_turn(&w);
    }
    csp_wait_end(&w);
    leave_others(&m);
    drop(&m);
    return rc;
}

static int library_some(struct mix *m, MPI_Request *requests, int *outcount, int *indices,
                        MPI_Status *statuses)
{
    statuses = readable(m, statuses);
    *outcount = 0; // an array that the library refuses
    int rc = waits_at_library(m) ? csp_mpi.Waitsome(m->n, m->native, outcount, indices, statuses)
                                 : csp_mpi.Testsome(m->n, m->native, outcount, indices, statuses);
    for (int i = 0; *outcount != MPI_UNDEFINED && i < *outcount; i++) {
        if (m->watched)
            library_over(m, indices[i], requests, &statuses[i]);
        if (rc == MPI_SUCCESS && statuses != MPI_STATUSES_IGNORE)
            statuses[i].MPI_ERROR = MPI_SUCCESS; // it counts if one of Casper's fails
    }
    return rc;
}

// `done`: how many are over by now. The library's MPI_UNDEFINED, for "none is active", holds if ghosts have none either.
static void set_outcount(const struct mix *m, int done, int *outcount)
{
    if (*outcount != MPI_UNDEFINED || m->actives)
        *outcount = done;
}

static int try_some(struct mix *m, MPI_Request *requests, int *outcount, int *indices,
                    MPI_Status *statuses)
{
    struct csp_req_home home = NOWHERE;
    int errors = 0, done = 0;
    look(m, requests);
    csp_am_poll(1);
    int rc = library_some(m, requests, outcount, indices, statuses);
    if (*outcount != MPI_UNDEFINED)
        done = *outcount;
    for (int i = 0; i < m->n; i++) {
        if (!m->own[i] || !m->own[i]->kind->done(m->own[i]))
            continue;
        MPI_Status *status = status_at(statuses, done);
        int code = finish(m, i, &requests[i], status, &home);
        if (status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = code;
        errors += code != MPI_SUCCESS;
        indices[done++] = i;
    }
    set_outcount(m, done, outcount);
    hand_back(m, requests);
    return errors ? csp_req_raise(&home, MPI_ERR_IN_STATUS) : rc;
}

int csp_req_testsome(int n, MPI_Request *requests, int *outcount, int *indices,
                     MPI_Status *statuses)
{
    struct mix m;
    make(&m, n, 0);
    int rc = try_some(&m, requests, outcount, indices, statuses);
    drop(&m);
    return rc;
}

int csp_req_waitsome(int n, MPI_Request *requests, int *outcount, int *indices,
                     MPI_Status *statuses)
{
    struct mix m;
    struct csp_wait w;
    int rc;
    make(&m, n, 1);
    csp_wait_begin(&w, "some of %ld requests", (long)n);
    while ((rc = try_some(&m, requests, outcount, indices, statuses)) == MPI_SUCCESS &&
           *outcount == 0) {
        w.rung = await_each(&m);
        csp_wait_turn(&w);
    }
    csp_wait_end(&w);
    leave_others(&m);
    drop(&m);
    return rc;
}

#if CSP_HAVE_MPI_Request_get_status_all
int csp_req_get_status_all(int n, const MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    struct mix m;
    int rc = MPI_SUCCESS;
    begin(&m, n, requests, 0);
    csp_am_poll(1);
    *flag = find_own(&m, 0) < 0;
    if (*flag && m.natives)
        rc = csp_mpi.Request_get_status_all(n, m.native, flag, statuses);
    for (int i = 0; *flag && i < n; i++)
        other_status(m.found[i], requests[i], status_at(statuses, i));
    drop(&m);
    return rc;
}

int csp_req_get_status_any(int n, const MPI_Request *requests, int *index, int *flag,
                           MPI_Status *status)
{
    struct mix m;
    int rc = MPI_SUCCESS;
    begin(&m, n, requests, 0);
    csp_am_poll(1);
    *index = find_own(&m, 1);
    *flag = *index >= 0;
    if (*flag)
        m.own[*index]->kind->status(m.own[*index], status);
    else
        rc = csp_mpi.Request_get_status_any(n, m.native, index, flag, status);
    *flag = *flag && !only_own_left(&m, *index);
    drop(&m);
    return rc;
}

int csp_req_get_status_some(int n, const MPI_Request *requests, int *outcount, int *indices,
                            MPI_Status *statuses)
{
    struct mix m;
    begin(&m, n, requests, 0);
    csp_am_poll(1);
    *outcount = 0;
    int rc = csp_mpi.Request_get_status_some(n, m.native, outcount, indices, statuses);
    int done = *outcount == MPI_UNDEFINED ? 0 : *outcount;
    for (int i = 0; i < n; i++)
        if (m.own[i] && m.own[i]->kind->done(m.own[i])) {
            m.own[i]->kind->status(m.own[i], status_at(statuses, done));
            indices[done++] = i;
        }
    set_outcount(&m, done, outcount);
    drop(&m);
    return rc;
}
#endif
