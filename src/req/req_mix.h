// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Completion (MPI-4.1 3.7.3, 3.7.5) of arrays in which requests of Casper's and of the MPI library's are mixed. The
// library gets its own, and what it does for Casper's, in an array of the same length, with MPI_REQUEST_NULL at the places of the
// others.
#ifndef CSP_REQ_MIX_H
#define CSP_REQ_MIX_H

#include "req/req.h"

enum { CSP_MIX_ON_STACK = 32 }; // larger arrays take memory

#define CSP_MIX_NOWHERE {MPI_COMM_NULL, MPI_WIN_NULL, NULL}

struct csp_mix {
    int n;
    int natives, actives; // requests that the library has; active ones that ghosts have
    int watched;          // of the library's, those behind requests of Casper's
    int failed;           // MPI_Waitall: one of the library's,
    int *left;            // of which `natives` at these places are not over,
    int at;               // and this one of them is looked at next
    MPI_Request *native;  // those the library has, MPI_REQUEST_NULL for others
    // Casper's, NULL for others: a request of the library's that is over may be another thread's carrier by now.
    struct csp_req **found;
    struct csp_req **own; // of these, those that ghosts have
    MPI_Status *statuses; // read in the program's place
    uint64_t waits_ns;    // since when the call waits, or 0
    MPI_Request native_store[CSP_MIX_ON_STACK];
    struct csp_req *found_store[CSP_MIX_ON_STACK];
    struct csp_req *own_store[CSP_MIX_ON_STACK];
    int left_store[CSP_MIX_ON_STACK];
    MPI_Status status_store[CSP_MIX_ON_STACK];
};

/** So many objects, in `store` if they fit: other memory is the caller's to free. */
void *csp_mix_room(size_t n, size_t bytes, void *store);

/** For an array of n. `waits`: the call goes on until something is complete. */
void csp_mix_make(struct csp_mix *m, int n, int waits);

/** Who has which request now. */
void csp_mix_look(struct csp_mix *m, const MPI_Request *requests);

/** Both. */
void csp_mix_begin(struct csp_mix *m, int n, const MPI_Request *requests, int waits);

void csp_mix_drop(struct csp_mix *m);

/** Whether the call waits, the library has all that it waits for, and some of it is Casper's: then it waits in the library's way. */
static inline int csp_mix_waits_at_library(const struct csp_mix *m)
{
    return m->waits_ns && m->watched && !m->actives;
}

/** The program's statuses, or others that can be read. */
MPI_Status *csp_mix_readable(struct csp_mix *m, MPI_Status *statuses);

static inline MPI_Status *csp_mix_status_at(MPI_Status *statuses, int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/** The library's request at `i` is over: if it is behind one of Casper's, so is that. */
void csp_mix_over(struct csp_mix *m, int i, MPI_Request *requests, const MPI_Status *status);

/** The program's requests of the library's become what they are now: they may be over. */
void csp_mix_hand_back(const struct csp_mix *m, MPI_Request *requests);

/** The first that ghosts have and that is done, or (`done` 0) is not. Polls once, and looks again, where the call could not go on.
 * @return its place; -1: there is none. */
int csp_mix_try_own(const struct csp_mix *m, int done);

/** Finishes one of Casper's, which is done. @return its MPI error code; *home: where that belongs, if it is one. */
int csp_mix_finish(struct csp_mix *m, int i, MPI_Request *request, MPI_Status *status,
                   struct csp_req_home *home);

#endif
