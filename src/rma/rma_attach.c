// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Memory of a redirected dynamic window (MPI-4.1 12.2.4). Operations reach it by address, whoever asks,
// so the list serves the checks alone; the MPI library need not know.
#include <stdlib.h>
#include "rma/rma_check.h"
#include "rma/rma_win.h"

struct csp_attached {
    struct csp_attached *next;
    uintptr_t base, end;
};

static struct csp_attached **find(struct csp_win *w, uintptr_t base)
{
    struct csp_attached **at = &w->attached;
    while (*at && (*at)->base != base)
        at = &(*at)->next;
    return at;
}

static int overlaps(const struct csp_win *w, uintptr_t base, uintptr_t end)
{
    for (const struct csp_attached *a = w->attached; a; a = a->next)
        if (base < a->end && a->base < end)
            return 1;
    return 0;
}

static int attach(struct csp_win *w, uintptr_t base, MPI_Aint size)
{
    uintptr_t end = base + (uintptr_t)size;
    struct csp_attached *a = malloc(sizeof(*a));
    if (!a)
        return MPI_ERR_NO_MEM;
    *a = (struct csp_attached){.base = base, .end = end};
    pthread_mutex_lock(&w->mutex);
    int rc = overlaps(w, base, end) ? MPI_ERR_RMA_ATTACH : MPI_SUCCESS;
    if (rc == MPI_SUCCESS) {
        a->next = w->attached;
        w->attached = a;
    }
    pthread_mutex_unlock(&w->mutex);
    if (rc != MPI_SUCCESS)
        free(a);
    return rc;
}

int csp_rma_win_attach(struct csp_win *w, void *base, MPI_Aint size)
{
    if (w->attr_flavor != MPI_WIN_FLAVOR_DYNAMIC)
        return csp_win_raise(w, MPI_ERR_RMA_FLAVOR);
    if (size < 0)
        return csp_win_raise(w, MPI_ERR_SIZE);
    return csp_win_rc(w, attach(w, (uintptr_t)base, size));
}

int csp_rma_win_detach(struct csp_win *w, const void *base)
{
    if (w->attr_flavor != MPI_WIN_FLAVOR_DYNAMIC)
        return csp_win_raise(w, MPI_ERR_RMA_FLAVOR);
    pthread_mutex_lock(&w->mutex);
    struct csp_attached **at = find(w, (uintptr_t)base), *a = *at;
    if (a)
        *at = a->next;
    pthread_mutex_unlock(&w->mutex);
    free(a);
    return a ? MPI_SUCCESS : csp_win_raise(w, MPI_ERR_BASE);
}

int csp_attach_covers(struct csp_win *w, const struct csp_op *op, const struct csp_aim *aim)
{
    MPI_Aint lo, hi;
    int covered = 0;
    csp_type_range(aim->type, csp_op_target_count(op), &lo, &hi);
    uintptr_t first = (uintptr_t)(aim->at + lo), end = (uintptr_t)(aim->at + hi);
    pthread_mutex_lock(&w->mutex);
    for (const struct csp_attached *a = w->attached; a && !covered; a = a->next)
        covered = a->base <= first && end <= a->end;
    pthread_mutex_unlock(&w->mutex);
    return covered;
}

void csp_attach_drop(struct csp_win *w)
{
    while (w->attached) {
        struct csp_attached *a = w->attached;
        w->attached = a->next;
        free(a);
    }
}
