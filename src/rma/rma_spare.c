// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// See rma_spare.h. All processes of a set know a spare under one id; one of them, the same for every
// communicator over the set, chooses it for a new window. So threads that create windows of the same
// processes at the same time cannot take it twice.
#include "rma/rma_spare.h"

#include <stdlib.h>
#include <string.h>
#include "rma/rma_own.h"
#include "runtime/ext.h"
#include "runtime/meta.h"
#include "runtime/wait.h"

enum { MOST = 4 }; // spares of one set of processes: each holds a communicator of the MPI library

struct csp_spare {
    struct csp_spare *next;
    int full; // or only a place kept until all have agreed
    int leads;
    struct csp_iwin own;
    int n;
    int32_t wranks[]; // sorted
};

static struct csp_spare *spares;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct csp_spare *of_processes(const struct csp_win *w)
{
    struct csp_spare *s = csp_meta_alloc(CSP_META_SET, sizeof(*s) + (size_t)w->n * sizeof(int32_t));
    s->n = w->n;
    for (int i = 0; i < w->n; i++)
        s->wranks[i] = w->peers[i].wrank;
    qsort(s->wranks, (size_t)s->n, sizeof(int32_t), csp_by_rank);
    return s;
}

static int same_processes(const struct csp_spare *a, const struct csp_spare *b)
{
    return a->n == b->n && memcmp(a->wranks, b->wranks, (size_t)a->n * sizeof(int32_t)) == 0;
}

// Caller holds the lock.
static void detach(const struct csp_spare *s)
{
    struct csp_spare **at = &spares;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
}

// Caller holds the lock.
static int is_room(const struct csp_spare *mine)
{
    uint64_t bytes = mine->own.node_bytes[csp_rt.node];
    int count = 0;
    for (const struct csp_spare *s = spares; s; s = s->next) {
        bytes += s->own.node_bytes[csp_rt.node];
        count += same_processes(s, mine);
    }
    return bytes <= csp_config.spare_max && count < MOST;
}

int csp_spare_keep(struct csp_win *w)
{
    struct csp_spare *mine = of_processes(w);
    mine->own = w->own;
    mine->leads = csp_members_lead(w->members);
    pthread_mutex_lock(&lock);
    int room = is_room(mine);
    if (room) {
        mine->next = spares;
        spares = mine;
    }
    pthread_mutex_unlock(&lock);
    int keep = csp_win_agree(w, room);
    pthread_mutex_lock(&lock);
    if (keep)
        mine->full = 1;
    else if (room)
        detach(mine);
    pthread_mutex_unlock(&lock);
    if (!keep)
        csp_meta_free(CSP_META_SET, mine);
    return keep;
}

static int fits(const struct csp_spare *s, const struct csp_iwin *own)
{
    const uint64_t *need = own->node_bytes;
    if (s->own.users < own->users)
        return 0;
    for (int i = 0; i < csp_rt.topo->nnodes; i++)
        if (s->own.node_bytes[i] < need[i])
            return 0;
    return 1;
}

static uint64_t total(const struct csp_spare *s)
{
    uint64_t bytes = 0;
    for (int i = 0; i < csp_rt.topo->nnodes; i++)
        bytes += s->own.node_bytes[i];
    return bytes;
}

struct csp_spare *csp_spare_choose(const struct csp_win *w, struct csp_spare_choice *choice)
{
    struct csp_spare *like = of_processes(w), *best = NULL;
    *choice = (struct csp_spare_choice){0, 0};
    pthread_mutex_lock(&lock);
    for (struct csp_spare *s = spares; s; s = s->next) {
        if (!s->full || !same_processes(s, like))
            continue;
        uint64_t good = (uint64_t)fits(s, &w->own);
        if (!best || good > choice->fits || (good == choice->fits && total(s) < total(best))) {
            best = s;
            *choice = (struct csp_spare_choice){s->own.id, good};
        }
    }
    if (best)
        detach(best);
    pthread_mutex_unlock(&lock);
    csp_meta_free(CSP_META_SET, like);
    return best;
}

static struct csp_spare *try_follow(uint64_t id)
{
    pthread_mutex_lock(&lock);
    struct csp_spare *s = spares;
    while (s && !(s->full && s->own.id == id))
        s = s->next;
    if (s)
        detach(s);
    pthread_mutex_unlock(&lock);
    return s;
}

struct csp_spare *csp_spare_follow(uint64_t id)
{
    struct csp_spare *s;
    struct csp_wait wait;
    csp_wait_begin(&wait, "MPI_Win_allocate: another thread to put away window %ld", (long)id);
    while (!(s = try_follow(id)))
        csp_wait_turn(&wait);
    return s;
}

void csp_spare_use(struct csp_win *w, struct csp_spare *s)
{
    csp_meta_free(CSP_META_WINDOW, w->own.node_bytes);
    w->own = s->own;
    w->own.seg = &w->own.own_seg;
    w->iwin = &w->own;
    csp_meta_free(CSP_META_SET, s);
}

void csp_spare_discard(struct csp_spare *s)
{
    csp_own_discard(&s->own, s->leads);
    csp_meta_free(CSP_META_SET, s);
}

// One after the other, in an order that all users agree on: spares of overlapping sets cannot wait
// for each other.
void csp_spare_stop(void)
{
    for (;;) {
        // signed: MPICH 4.0.2 takes the minimum of MPI_UINT64_T as of signed
        int64_t mine = INT64_MAX, id;
        struct csp_spare *which = NULL;
        for (struct csp_spare *s = spares; s; s = s->next)
            if ((int64_t)s->own.id < mine) {
                mine = (int64_t)s->own.id;
                which = s;
            }
        csp_mpi.Allreduce(&mine, &id, 1, MPI_INT64_T, MPI_MIN, csp_rt.user_comm);
        if (id == INT64_MAX)
            return;
        if (!which || id != mine)
            continue;
        detach(which);
        csp_spare_discard(which);
    }
}
