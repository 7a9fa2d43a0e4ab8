// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Post-start-complete-wait. MPI-4.1 12.5.2. Messages go over Casper's own communicator, so no
// receive of the program can take them.
//
//   origin                         target
//   start(T): wait  <-- POST ----- post(O)
//   operations -> target's ghost
//   complete: flush
//             ------ COMPLETE ---> wait: one from each of O
//
// MPI_MODE_NOCHECK is not used to leave messages out: a POST that only one side leaves out would be
// taken by a later start.
#include "rma/rma_win.h"

#include <stdlib.h>
#include "rma/rma_check.h"
#include "rma/rma_time.h"
#include "runtime/am.h"
#include "runtime/ext.h"
#include "runtime/wait.h"

// Window ranks of a group's members; NULL with *rc set on an error.
static int *window_ranks(struct csp_win *w, MPI_Group group, int *n, int *rc)
{
    *rc = group == MPI_GROUP_NULL ? MPI_ERR_GROUP : csp_mpi.Group_size(group, n);
    if (*rc != MPI_SUCCESS)
        return NULL;
    int *in = malloc((size_t)(*n + 1) * sizeof(int)), *out = malloc((size_t)(*n + 1) * sizeof(int));
    CSP_CHECK(in && out, "out of memory for a group");
    for (int i = 0; i < *n; i++)
        in[i] = i;
    *rc = csp_mpi.Group_translate_ranks(group, *n, in, w->group, out);
    for (int i = 0; i < *n && *rc == MPI_SUCCESS; i++)
        if (out[i] == MPI_UNDEFINED)
            *rc = MPI_ERR_GROUP;
    free(in);
    if (*rc == MPI_SUCCESS)
        return out;
    free(out);
    return NULL;
}

static void send_all(struct csp_win *w, const int *ranks, int n, enum csp_am_type type)
{
    for (int i = 0; i < n; i++) {
        struct csp_am msg = {.type = type, .gid = w->gid, .a = w->rank};
        csp_am_send(w->peers[ranks[i]].wrank, &msg);
    }
}

int csp_rma_win_post(struct csp_win *w, MPI_Group group, int assertion)
{
    int n, rc;
    rc = csp_check_assert(assertion, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
    if (w->expose.active || csp_hints_exclude(&w->hints, CSP_EPOCH_PSCW))
        rc = MPI_ERR_RMA_SYNC;
    if (rc != MPI_SUCCESS)
        return csp_win_raise(w, rc);
    int *ranks = window_ranks(w, group, &n, &rc);
    if (!ranks)
        return csp_win_raise(w, rc);
    w->expose.active = 1;
    w->expose.n = n;
    atomic_thread_fence(memory_order_seq_cst); // local stores before the origins' accesses
    send_all(w, ranks, n, CSP_AM_POST);
    free(ranks);
    return MPI_SUCCESS;
}

// Takes one post of `rank` out of the list. @return 1 if it was there.
static int take_post(struct csp_win *w, int rank)
{
    int found = 0;
    pthread_mutex_lock(&w->mutex);
    for (int i = 0; i < w->nposts && !found; i++) {
        found = w->posts[i] == rank;
        if (found)
            w->posts[i] = w->posts[--w->nposts];
    }
    pthread_mutex_unlock(&w->mutex);
    return found;
}

int csp_rma_win_start(struct csp_win *w, MPI_Group group, int assertion)
{
    int rc = csp_check_assert(assertion, MPI_MODE_NOCHECK);
    if (w->access.active || csp_win_locked(w) || csp_hints_exclude(&w->hints, CSP_EPOCH_PSCW))
        rc = MPI_ERR_RMA_SYNC;
    if (rc != MPI_SUCCESS)
        return csp_win_raise(w, rc);
    w->access.ranks = window_ranks(w, group, &w->access.n, &rc);
    if (!w->access.ranks)
        return csp_win_raise(w, rc);
    uint64_t begin = csp_time_wait();
    csp_win_fence_over(w);
    qsort(w->access.ranks, (size_t)w->access.n, sizeof(int), csp_by_rank);
    w->access.active = 1;
    for (int i = 0; i < w->access.n; i++) {
        struct csp_wait wait;
        csp_wait_begin(&wait, "MPI_Win_start: MPI_Win_post of rank %ld", w->access.ranks[i]);
        while (!take_post(w, w->access.ranks[i]))
            csp_wait_turn(&wait);
    }
    csp_time_waited(CSP_WAIT_PSCW, begin);
    return MPI_SUCCESS;
}

int csp_win_started(const struct csp_win *w, int target)
{
    return bsearch(&target, w->access.ranks, (size_t)w->access.n, sizeof(int), csp_by_rank) != NULL;
}

int csp_rma_win_complete(struct csp_win *w)
{
    if (!w->access.active)
        return csp_win_raise(w, MPI_ERR_RMA_SYNC);
    uint64_t begin = csp_time_wait();
    int rc = csp_win_flush_end(w);
    send_all(w, w->access.ranks, w->access.n, CSP_AM_COMPLETE);
    free(w->access.ranks);
    w->access.ranks = NULL;
    w->access.active = 0;
    csp_time_waited(CSP_WAIT_PSCW, begin);
    return rc;
}

static int exposure_over(struct csp_win *w)
{
    uint32_t n = (uint32_t)w->expose.n;
    if (atomic_load_explicit(&w->completes, memory_order_acquire) < n)
        return 0;
    atomic_fetch_sub_explicit(&w->completes, n, memory_order_relaxed);
    w->expose.active = 0;
    return 1;
}

int csp_rma_win_test(struct csp_win *w, int *flag)
{
    if (!w->expose.active)
        return csp_win_raise(w, MPI_ERR_RMA_SYNC);
    csp_am_poll(16);
    *flag = exposure_over(w);
    return MPI_SUCCESS;
}

int csp_rma_win_wait(struct csp_win *w)
{
    if (!w->expose.active)
        return csp_win_raise(w, MPI_ERR_RMA_SYNC);
    uint64_t begin = csp_time_wait();
    struct csp_wait wait;
    csp_wait_begin(&wait, "MPI_Win_wait: MPI_Win_complete of all %ld origins of window %ld",
                   w->expose.n, (long)w->gid);
    while (!exposure_over(w))
        csp_wait_turn(&wait);
    csp_time_waited(CSP_WAIT_PSCW, begin);
    return MPI_SUCCESS;
}
