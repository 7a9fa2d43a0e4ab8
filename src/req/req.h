// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Requests of Casper's own. The program holds a carrier, a request of the MPI library's that is never started; what is behind it is
// said by its kind: a message that ghosts carry, an RMA operation. Or, now and then, another request of the library's. User role; a
// request belongs to the thread that completes it.
#ifndef CSP_REQ_REQ_H
#define CSP_REQ_REQ_H

#include <mpi.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct csp_wait;
struct csp_req;

// Where errors are raised: on one of them, if it is not null.
struct csp_req_home {
    MPI_Comm comm;
    MPI_Win win;
    const MPI_Errhandler *left; // of a communicator that the program has freed, or NULL
};

// Those without a function are erroneous for requests of the kind (start, cancel, free), or never happen (over).
struct csp_req_kind {
    size_t bytes; // of its objects, which begin with a struct csp_req
    /** Whether it can be finished now; it may make progress. */
    int (*done)(struct csp_req *r);
    /** What it will answer, without finishing it. */
    void (*status)(struct csp_req *r, MPI_Status *status);
    /** Finishes one that is done: data, status, the program's handle. @return MPI error class, not raised. */
    int (*finish)(struct csp_req *r, MPI_Request *request, MPI_Status *status);
    struct csp_req_home (*home)(const struct csp_req *r);
    /** Says what is waited for: csp_wait_begin. */
    void (*say)(const struct csp_req *r, struct csp_wait *w);
    /** Has a ghost of this node ring when it is done; NULL: it can not. */
    void (*await)(struct csp_req *r);
    /** It need not, as far as this call goes. */
    void (*leave)(struct csp_req *r);
    /** The library's request behind it is over, with this status. */
    void (*over)(struct csp_req *r, MPI_Request *request, const MPI_Status *status);
    int (*start)(struct csp_req *r);
    int (*cancel)(struct csp_req *r);
    int (*free)(struct csp_req *r, MPI_Request *request);
    struct csp_req *idle; // kept for the next
    struct csp_req_kind *next;
};

struct csp_req {
    MPI_Request handle; // the carrier
    struct csp_req_kind *kind;
    struct csp_req *next;
    MPI_Request inner; // the library's, which is meant by the carrier if `by_library`
    int persistent, active;
    int by_library;
    uint64_t waits_ns; // since when the call that completes it waits; 0: it only tests, or need not
};

/** A new one, active; what is behind `struct csp_req` in it is as its last user left it, zeroes at first. */
struct csp_req *csp_req_take(struct csp_req_kind *kind);

/** It goes to the next user. */
void csp_req_give(struct csp_req *r);

/** The request, if it is Casper's. */
struct csp_req *csp_req_find(MPI_Request request);

/** Whether one of them is. */
int csp_req_any(int n, const MPI_Request *requests);

/** Whether the MPI library has what is behind it now. */
static inline int csp_req_in_library(const struct csp_req *r)
{
    return r && r->active && r->by_library;
}

/** Whether it can be finished; if not at once, after a poll. */
int csp_req_done_now(struct csp_req *r);

/** A call is about to wait for it. @return 1 if the process's bell will ring when it is done. */
static inline int csp_req_await(struct csp_req *r)
{
    if (r->kind->await)
        r->kind->await(r);
    return r->kind->await != NULL;
}

/** The call ends without it. */
static inline void csp_req_leave(struct csp_req *r)
{
    if (r->kind->leave)
        r->kind->leave(r);
}

/** Fills a status (or ignores it). */
void csp_status_fill(MPI_Status *status, int source, int tag, uint64_t bytes, int cancelled);

/** The program's status, or one in its place: it is read. */
static inline MPI_Status *csp_status_readable(MPI_Status *status, MPI_Status *own)
{
    return status == MPI_STATUS_IGNORE ? own : status;
}

/** Raises an error where it belongs. @return the code. */
int csp_req_raise(const struct csp_req_home *home, int code);

/** Finishes one that is done, errors raised. @return MPI error code. */
int csp_req_conclude(struct csp_req *r, MPI_Request *request, MPI_Status *status);

/** Gives all memory back; the program has no requests any more. */
void csp_req_stop(void);

// What the wrappers call, if csp_req_any.
int csp_req_wait(MPI_Request *request, MPI_Status *status);
int csp_req_test(MPI_Request *request, int *flag, MPI_Status *status);
int csp_req_waitall(int n, MPI_Request *requests, MPI_Status *statuses);
int csp_req_testall(int n, MPI_Request *requests, int *flag, MPI_Status *statuses);
int csp_req_waitany(int n, MPI_Request *requests, int *index, MPI_Status *status);
int csp_req_testany(int n, MPI_Request *requests, int *index, int *flag, MPI_Status *status);
int csp_req_waitsome(int n, MPI_Request *requests, int *outcount, int *indices,
                     MPI_Status *statuses);
int csp_req_testsome(int n, MPI_Request *requests, int *outcount, int *indices,
                     MPI_Status *statuses);
int csp_req_get_status(MPI_Request request, int *flag, MPI_Status *status);
#if CSP_HAVE_MPIX_Request_is_complete
int csp_req_is_complete(MPI_Request request);
#endif
int csp_req_get_status_all(int n, const MPI_Request *requests, int *flag, MPI_Status *statuses);
int csp_req_get_status_any(int n, const MPI_Request *requests, int *index, int *flag,
                           MPI_Status *status);
int csp_req_get_status_some(int n, const MPI_Request *requests, int *outcount, int *indices,
                            MPI_Status *statuses);
int csp_req_start_all(int n, MPI_Request *requests);
int csp_req_free(MPI_Request *request);
int csp_req_cancel(MPI_Request *request);

#endif
