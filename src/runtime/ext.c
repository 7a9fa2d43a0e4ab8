// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/ext.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/meta.h"
#include "runtime/quirks.h"
#include "runtime/rt.h"

enum { EXT_TAG = 7 };

static struct csp_ext *cache;
static pthread_mutex_t making = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

int csp_by_rank(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// The users of the window and the ghosts of their nodes.
static struct csp_ext *collect(const struct csp_wnode *node)
{
    const struct csp_topo *t = csp_rt.topo;
    size_t most = (size_t)node->n + (size_t)t->nnodes * (size_t)t->ng;
    struct csp_ext *e = csp_meta_alloc(CSP_META_SET, sizeof(*e) + most * sizeof(int32_t));
    char *seen = calloc((size_t)t->nnodes, 1);
    CSP_CHECK(seen, "out of memory for a window");
    e->comm = MPI_COMM_NULL;
    for (uint32_t i = 0; i < node->n; i++) {
        int at = node->peers[i].node;
        e->wranks[e->n++] = node->peers[i].wrank;
        for (int g = 0; !seen[at] && g < t->ng; g++)
            e->wranks[e->n++] = csp_topo_ghosts(t)[at * t->ng + g];
        seen[at] = 1;
    }
    free(seen);
    qsort(e->wranks, (size_t)e->n, sizeof(int32_t), csp_by_rank);
    return e;
}

static int create(struct csp_ext *e)
{
    MPI_Group group;
    if (e->n == csp_rt.topo->nranks) {
        e->comm = csp_rt.world; // everybody: there is one already
        return MPI_SUCCESS;
    }
    int rc = csp_mpi.Group_incl(csp_rt.world_group, e->n, e->wranks, &group);
    if (rc != MPI_SUCCESS)
        return rc;
    rc = csp_mpi.Comm_create_group(csp_rt.world, group, EXT_TAG, &e->comm);
    csp_mpi.Group_free(&group);
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.Comm_set_errhandler(e->comm, MPI_ERRORS_RETURN);
    return rc;
}

const struct csp_ext *csp_ext_of(const struct csp_wnode *node)
{
    struct csp_ext *e = collect(node);
    for (struct csp_ext *c = cache; c; c = c->next) {
        if (c->n != e->n || memcmp(c->wranks, e->wranks, (size_t)e->n * sizeof(int32_t)) != 0)
            continue;
        csp_meta_free(CSP_META_SET, e);
        return c;
    }
    if (create(e) != MPI_SUCCESS) {
        csp_meta_free(CSP_META_SET, e);
        return NULL;
    }
    e->next = cache;
    cache = e;
    return e;
}

int csp_ext_rank(const struct csp_ext *ext, int wrank)
{
    const int32_t key = wrank,
                  *at = bsearch(&key, ext->wranks, (size_t)ext->n, sizeof(int32_t), csp_by_rank);
    return at ? (int)(at - ext->wranks) : -1;
}

int32_t *csp_ext_ghost_ranks(const struct csp_ext *ext)
{
    const struct csp_topo *t = csp_rt.topo;
    int n = t->nnodes * t->ng;
    int32_t *ranks = csp_meta_alloc(CSP_META_WINDOW, (size_t)n * sizeof(*ranks));
    for (int i = 0; i < n; i++)
        ranks[i] = csp_ext_rank(ext, csp_topo_ghosts(t)[i]);
    return ranks;
}

static pthread_mutex_t meetings = PTHREAD_MUTEX_INITIALIZER;
static int meeting, yielded_before;

void csp_ext_meet(void)
{
    pthread_mutex_lock(&meetings);
    if (meeting++ == 0)
        yielded_before = csp_quirks_yield(csp_rt.yielded);
    pthread_mutex_unlock(&meetings);
}

void csp_ext_part(void)
{
    pthread_mutex_lock(&meetings);
    if (--meeting == 0)
        csp_quirks_yield(yielded_before);
    pthread_mutex_unlock(&meetings);
}

void csp_ext_making_begin(void)
{
    pthread_mutex_lock(&making);
}

void csp_ext_making_end(void)
{
    pthread_mutex_unlock(&making);
}

// One epoch with all, for as long as the window is there; no message is sent. @return MPI error code.
static int lock_all(MPI_Comm comm, MPI_Win win)
{
    if (!csp_quirks.targets_race)
        return csp_mpi.Win_lock_all(MPI_MODE_NOCHECK, win);
    int n = 0, rc = csp_mpi.Comm_size(comm, &n);
    for (int r = 0; rc == MPI_SUCCESS && r < n; r++)
        rc = csp_mpi.Win_lock(MPI_LOCK_SHARED, r, MPI_MODE_NOCHECK, win);
    return rc;
}

static void unlock_all(MPI_Win win)
{
    MPI_Group group = MPI_GROUP_NULL;
    int n = 0;
    if (!csp_quirks.targets_race) {
        csp_mpi.Win_unlock_all(win);
        return;
    }
    csp_mpi.Win_get_group(win, &group);
    csp_mpi.Group_size(group, &n);
    csp_mpi.Group_free(&group);
    for (int r = 0; r < n; r++)
        csp_mpi.Win_unlock(r, win);
}

int csp_ext_win(MPI_Comm comm, void *base, MPI_Aint bytes, MPI_Win *win)
{
    csp_ext_making_begin();
    int rc = csp_mpi.Win_create(base, bytes, 1, MPI_INFO_NULL, comm, win);
    csp_ext_making_end();
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.Win_set_errhandler(*win, MPI_ERRORS_RETURN);
    if (rc == MPI_SUCCESS)
        rc = lock_all(comm, *win);
    csp_meta_count(CSP_META_INTERNAL, rc == MPI_SUCCESS);
    return rc;
}

void csp_ext_win_free(MPI_Win *win)
{
    unlock_all(*win);
    csp_ext_making_begin();
    csp_mpi.Win_free(win);
    csp_ext_making_end();
    csp_meta_count(CSP_META_INTERNAL, -1);
}

// Comm_free is collective, but each only needs its members, who all come here, in one order: that
// of creation is the same for any two communicators on the processes they share.
void csp_ext_stop(void)
{
    while (cache) {
        struct csp_ext *e = cache;
        cache = e->next;
        if (e->comm != csp_rt.world)
            csp_mpi.Comm_free(&e->comm);
        csp_meta_free(CSP_META_SET, e);
    }
}
