// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// See rma_spare.h. At most one spare for each set of processes. All processes of a set know it under
// one id; one of them, the same for every communicator over the set, picks it for a new window. So
// threads that create windows of the same processes at the same time cannot take it twice.
#include "rma/rma_spare.h"

#include <stdlib.h>
#include <string.h>
#include "rma/rma_own.h"
#include "runtime/ext.h"
#include "runtime/wait.h"

struct spare {
    struct spare *next;
    int full; // or only a place kept until all have agreed
    int leads;
    struct csp_iwin own;
    int n;
    int32_t wranks[]; // sorted
};

static struct spare *spares;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct spare *of_processes(const struct csp_win *w)
{
    struct spare *s = calloc(1, sizeof(*s) + (size_t)w->n * sizeof(int32_t));
    CSP_CHECK(s, "out of memory for a window");
    s->n = w->n;
    for (int i = 0; i < w->n; i++)
        s->wranks[i] = w->peers[i].wrank;
    qsort(s->wranks, (size_t)s->n, sizeof(int32_t), csp_by_wrank);
    return s;
}

// Caller holds the lock. @return where the pointer to the spare of these processes is, or would be.
static struct spare **find(const struct spare *like)
{
    struct spare **at = &spares;
    while (*at && ((*at)->n != like->n ||
                   memcmp((*at)->wranks, like->wranks, (size_t)like->n * sizeof(int32_t)) != 0))
        at = &(*at)->next;
    return at;
}

static int small_enough(const struct csp_win *w)
{
    for (int i = 0; i < csp_rt.topo->nnodes; i++)
        if (w->own.node_bytes[i] > csp_config.spare_max)
            return 0;
    return 1;
}

int csp_spare_keep(struct csp_win *w)
{
    struct spare *mine = of_processes(w);
    pthread_mutex_lock(&lock);
    struct spare **at = find(mine);
    int room = !*at && small_enough(w);
    if (room)
        *at = mine;
    pthread_mutex_unlock(&lock);
    int keep = csp_win_agree(w, room);
    pthread_mutex_lock(&lock);
    if (keep) {
        mine->own = w->own;
        mine->leads = csp_members_lead(w->members);
        mine->full = 1;
    } else if (room) {
        at = find(mine);
        *at = mine->next;
    }
    pthread_mutex_unlock(&lock);
    if (!keep)
        free(mine);
    return keep;
}

static int large_enough(const struct spare *s, const uint64_t *need)
{
    for (int i = 0; i < csp_rt.topo->nnodes; i++)
        if (s->own.node_bytes[i] < need[i])
            return 0;
    return 1;
}

// Caller holds the lock.
static void take(struct csp_win *w, struct spare **at)
{
    struct spare *s = *at;
    *at = s->next;
    w->own = s->own;
    w->own.seg = &w->own.own_seg;
    w->iwin = &w->own;
    free(s);
}

uint64_t csp_spare_pick(struct csp_win *w)
{
    struct spare *like = of_processes(w);
    uint64_t *need = csp_own_node_bytes(w), id = 0;
    pthread_mutex_lock(&lock);
    struct spare **at = find(like);
    if (*at && (*at)->full && large_enough(*at, need)) {
        id = (*at)->own.id;
        take(w, at);
    }
    pthread_mutex_unlock(&lock);
    free(like);
    free(need);
    return id;
}

static int try_follow(struct csp_win *w, uint64_t id)
{
    pthread_mutex_lock(&lock);
    struct spare **at = &spares;
    while (*at && !((*at)->full && (*at)->own.id == id))
        at = &(*at)->next;
    int found = *at != NULL;
    if (found)
        take(w, at);
    pthread_mutex_unlock(&lock);
    return found;
}

void csp_spare_follow(struct csp_win *w, uint64_t id)
{
    struct csp_wait wait;
    csp_wait_begin(&wait, "MPI_Win_allocate: another thread to put away window %ld", (long)id);
    while (!try_follow(w, id))
        csp_wait_turn(&wait);
}

// One after the other, in an order that all users agree on: spares of overlapping sets cannot wait
// for each other.
void csp_spare_stop(void)
{
    for (;;) {
        int64_t mine = INT64_MAX,
                id; // signed: MPICH 4.0.2 takes the minimum of MPI_UINT64_T as of signed
        struct spare **which = &spares;
        for (struct spare **at = &spares; *at; at = &(*at)->next)
            if ((int64_t)(*at)->own.id < mine) {
                mine = (int64_t)(*at)->own.id;
                which = at;
            }
        csp_mpi.Allreduce(&mine, &id, 1, MPI_INT64_T, MPI_MIN, csp_rt.user_comm);
        if (id == INT64_MAX)
            return;
        if (id != mine)
            continue;
        struct spare *s = *which;
        *which = s->next;
        csp_own_discard(&s->own, s->leads);
        free(s);
    }
}
