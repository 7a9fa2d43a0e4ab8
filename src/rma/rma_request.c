// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The program may complete the operation by a flush, and its request after the window is gone: all that is kept of that is its id.
#include "rma/rma_request.h"

#include "req/req.h"
#include "rma/rma_async.h"
#include "rma/rma_auto.h"
#include "rma/rma_flow.h"
#include "runtime/wait.h"

struct rma_req {
    struct csp_req req;
    uint64_t gid;
    int first, n;       // ghosts, or who does without one; of the library's: the node
    int settled;        // the first so many of them
    MPI_Request answer; // of the next one, if it is a target
    int asked;          // for one
    int results;        // by the software route; one ghost
    uint32_t seq;       // the last of them
    int rc;
};

static struct rma_req *rma_of(const struct csp_req *r)
{
    return (struct rma_req *)(uintptr_t)r;
}

// A target answers when it is in MPI, a ghost at once. What a flush has completed is not asked for; with several threads nobody knows.
static int has_answered(struct rma_req *x, struct csp_win *w, int executor)
{
    int here = 1;
    if (executor < csp_async_ghosts() || csp_stats_threads || !csp_win_marked(w->local, executor))
        return 1;
    if (x->answer == MPI_REQUEST_NULL)
        x->rc = csp_win_ask(w, executor, &x->answer);
    x->asked = 1;
    if (x->rc == MPI_SUCCESS)
        x->rc = csp_mpi.Test(&x->answer, &here, MPI_STATUS_IGNORE);
    return here && x->rc == MPI_SUCCESS;
}

// The library can only be asked to wait until all of it is complete: a round trip to a ghost; a target that computes is asked for
// an answer before, which comes behind what it owes.
static int is_done(struct csp_req *r)
{
    struct rma_req *x = rma_of(r);
    if (x->results)
        return csp_flow_look(x->first, x->seq, 1, &x->rc);
    struct csp_win *w = csp_win_pin(x->gid);
    while (w && x->settled < x->n && x->rc == MPI_SUCCESS &&
           has_answered(x, w, x->first + x->settled))
        x->rc = csp_win_settle_local(w, x->first + x->settled++);
    int done = !w || x->settled == x->n || x->rc != MPI_SUCCESS;
    csp_win_unpin(w);
    return done;
}

// MPI-4.1 12.3.5: only the error of such a status has a meaning.
static void answer(struct csp_req *r, MPI_Status *status)
{
    (void)r;
    csp_status_fill(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, 0);
}

static struct csp_req_home home(const struct csp_req *r)
{
    struct csp_win *w = csp_win_pin(rma_of(r)->gid);
    struct csp_req_home here = {MPI_COMM_NULL, w ? w->handle : MPI_WIN_NULL, NULL};
    csp_win_unpin(w);
    return here;
}

static void say(const struct csp_req *r, struct csp_wait *w)
{
    const struct rma_req *x = rma_of(r);
    csp_wait_begin(w, "results of an operation on window %ld from ghost %ld of node %ld",
                   (long)x->gid, x->first % csp_rt.topo->ng, x->first / csp_rt.topo->ng);
}

// The program has waited for it.
static void note_wait(const struct csp_req *r, struct csp_win *w, int node)
{
    if (w && r->waits_ns)
        csp_auto_waited(w, node, r->waits_ns);
}

static int finish_results(const struct csp_req *r)
{
    const struct rma_req *x = rma_of(r);
    struct csp_win *w = csp_win_pin(x->gid);
    note_wait(r, w, x->first / csp_rt.topo->ng);
    int rc = csp_flow_end(w, x->first, x->rc);
    csp_win_unpin(w);
    return rc;
}

// The wait for a target's answer, which no flush has measured.
static int finish_local(const struct csp_req *r)
{
    const struct rma_req *x = rma_of(r);
    struct csp_win *w = x->asked ? csp_win_pin(x->gid) : NULL;
    if (w)
        note_wait(r, w, w->peers[x->first - csp_async_ghosts()].node);
    csp_win_unpin(w);
    return x->rc;
}

// Of an operation that a flush, or the window's end, has completed before an answer was looked at: it is here as well.
static void give(struct csp_req *r, MPI_Request *request)
{
    struct rma_req *x = rma_of(r);
    if (x->answer != MPI_REQUEST_NULL)
        csp_mpi.Wait(&x->answer, MPI_STATUS_IGNORE);
    *request = MPI_REQUEST_NULL;
    csp_req_give(r);
}

static int finish(struct csp_req *r, MPI_Request *request, MPI_Status *status)
{
    const struct rma_req *x = rma_of(r);
    int rc = x->results ? finish_results(r) : finish_local(r);
    answer(r, status);
    give(r, request);
    return rc;
}

// Erroneous (MPI-4.1 12.3.5), but MPI libraries let it pass: the operation is completed by the epoch.
static int let_go(struct csp_req *r, MPI_Request *request)
{
    give(r, request);
    return MPI_SUCCESS;
}

// The library's own request is over.
static void over(struct csp_req *r, MPI_Request *request, const MPI_Status *status)
{
    (void)status;
    struct csp_win *w = csp_win_pin(rma_of(r)->gid);
    note_wait(r, w, rma_of(r)->first);
    csp_win_unpin(w);
    let_go(r, request);
}

static struct csp_req_kind kind = {
    .bytes = sizeof(struct rma_req),
    .done = is_done,
    .status = answer,
    .finish = finish,
    .home = home,
    .say = say,
    .over = over,
    .free = let_go,
};

static struct rma_req *take(const struct csp_win *w, int first, int n, MPI_Request *request)
{
    struct rma_req *x = rma_of(csp_req_take(&kind));
    x->gid = w->gid;
    x->first = first;
    x->n = n;
    x->rc = MPI_SUCCESS;
    x->settled = 0;
    x->answer = MPI_REQUEST_NULL;
    x->asked = 0;
    x->results = 0;
    *request = x->req.handle;
    return x;
}

void csp_request_results(const struct csp_win *w, int ghost, MPI_Request *request)
{
    struct rma_req *x = take(w, ghost, 1, request);
    x->results = 1;
    x->seq = csp_flow_last(ghost, 1);
}

void csp_request_local(const struct csp_win *w, int first, int n, MPI_Request *request)
{
    take(w, first, n, request);
}

void csp_request_library(const struct csp_win *w, int node, MPI_Request *request)
{
    MPI_Request inner = *request;
    struct csp_req *r = &take(w, node, 1, request)->req;
    r->inner = inner;
    r->by_library = 1;
}
