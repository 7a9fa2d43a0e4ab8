// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "req/req_mix.h"

#include <stdlib.h>
#include "base/clock.h"
#include "runtime/am.h"
#include "runtime/rt.h"

void *csp_mix_room(size_t n, size_t bytes, void *store)
{
    void *p = n <= CSP_MIX_ON_STACK ? store : malloc(n * bytes);
    CSP_CHECK(p, "out of memory for %zu requests", n);
    return p;
}

void csp_mix_make(struct csp_mix *m, int n, int waits)
{
    m->n = n;
    m->waits_ns = waits ? csp_clock_ns() : 0;
    m->statuses = NULL;
    m->left = m->left_store;
    m->native = csp_mix_room((size_t)n, sizeof(*m->native), m->native_store);
    m->found = csp_mix_room((size_t)n, sizeof(struct csp_req *), m->found_store);
    m->own = csp_mix_room((size_t)n, sizeof(struct csp_req *), m->own_store);
}

void csp_mix_look(struct csp_mix *m, const MPI_Request *requests)
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

void csp_mix_begin(struct csp_mix *m, int n, const MPI_Request *requests, int waits)
{
    csp_mix_make(m, n, waits);
    csp_mix_look(m, requests);
}

MPI_Status *csp_mix_readable(struct csp_mix *m, MPI_Status *statuses)
{
    if (!m->watched || statuses != MPI_STATUSES_IGNORE)
        return statuses;
    if (!m->statuses)
        m->statuses = csp_mix_room((size_t)m->n, sizeof(*statuses), m->status_store);
    return m->statuses;
}

void csp_mix_drop(struct csp_mix *m)
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

void csp_mix_over(struct csp_mix *m, int i, MPI_Request *requests, const MPI_Status *status)
{
    struct csp_req *r = m->found[i];
    if (!csp_req_in_library(r))
        return;
    r->inner = m->native[i];
    r->kind->over(r, &requests[i], status);
}

void csp_mix_hand_back(const struct csp_mix *m, MPI_Request *requests)
{
    for (int i = 0; i < m->n; i++)
        if (!m->found[i] && requests[i] != MPI_REQUEST_NULL)
            requests[i] = m->native[i];
}

static int find_own(const struct csp_mix *m, int done)
{
    for (int i = 0; i < m->n; i++)
        if (m->own[i] && !m->own[i]->kind->done(m->own[i]) == !done)
            return i;
    return -1;
}

int csp_mix_try_own(const struct csp_mix *m, int done)
{
    int i = find_own(m, done);
    if ((i >= 0) == done)
        return i;
    csp_am_poll(1);
    return find_own(m, done);
}

int csp_mix_finish(struct csp_mix *m, int i, MPI_Request *request, MPI_Status *status,
                   struct csp_req_home *home)
{
    struct csp_req_home its = m->own[i]->kind->home(m->own[i]);
    int error = m->own[i]->kind->finish(m->own[i], request, status);
    m->own[i] = NULL;
    if (error != MPI_SUCCESS)
        *home = its;
    return error;
}
