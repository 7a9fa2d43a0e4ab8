// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Memory of a redirected dynamic window (MPI-4.1 12.2.4). Operations reach it by address, whoever asks,
// so the list serves the checks alone; the MPI library need not know.
#include <search.h>
#include <stdlib.h>
#include "rma/rma_check.h"
#include "rma/rma_win.h"

struct csp_attached {
    uintptr_t base, end;
    struct csp_attached *next; // of those without a byte
};

// Pieces of one window do not overlap: an order, in which those that would count as equal.
static int compare(const void *a, const void *b)
{
    const struct csp_attached *x = a, *y = b;
    return x->end <= y->base ? -1 : y->end <= x->base;
}

static struct csp_attached *tree_find(struct csp_win *w, uintptr_t base, uintptr_t end)
{
    struct csp_attached key = {.base = base, .end = end};
    struct csp_attached **found = tfind(&key, &w->attached, compare);
    return found ? *found : NULL;
}

static int insert(struct csp_win *w, struct csp_attached *a)
{
    if (a->base == a->end) {
        a->next = w->attached_empty;
        w->attached_empty = a;
        return MPI_SUCCESS;
    }
    struct csp_attached **there = tsearch(a, &w->attached, compare);
    if (!there)
        return MPI_ERR_NO_MEM;
    return *there == a ? MPI_SUCCESS : MPI_ERR_RMA_ATTACH;
}

static int attach(struct csp_win *w, uintptr_t base, MPI_Aint size)
{
    struct csp_attached *a = malloc(sizeof(*a));
    if (!a)
        return MPI_ERR_NO_MEM;
    *a = (struct csp_attached){.base = base, .end = base + (uintptr_t)size};
    pthread_mutex_lock(&w->mutex);
    int rc = insert(w, a);
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

// @return NULL: nothing was attached there.
static struct csp_attached *take_out(struct csp_win *w, uintptr_t base)
{
    struct csp_attached *a = tree_find(w, base, base + 1), **at = &w->attached_empty;
    if (a && a->base == base) {
        tdelete(a, &w->attached, compare);
        return a;
    }
    while (*at && (*at)->base != base)
        at = &(*at)->next;
    a = *at;
    if (a)
        *at = a->next;
    return a;
}

int csp_rma_win_detach(struct csp_win *w, const void *base)
{
    if (w->attr_flavor != MPI_WIN_FLAVOR_DYNAMIC)
        return csp_win_raise(w, MPI_ERR_RMA_FLAVOR);
    pthread_mutex_lock(&w->mutex);
    struct csp_attached *a = take_out(w, (uintptr_t)base);
    pthread_mutex_unlock(&w->mutex);
    free(a);
    return a ? MPI_SUCCESS : csp_win_raise(w, MPI_ERR_BASE);
}

int csp_attach_covers(struct csp_win *w, const struct csp_op *op, const struct csp_aim *aim)
{
    MPI_Aint lo, hi;
    csp_type_range(aim->type, csp_op_target_count(op), &lo, &hi);
    uintptr_t first = (uintptr_t)(aim->at + lo), end = (uintptr_t)(aim->at + hi);
    pthread_mutex_lock(&w->mutex);
    const struct csp_attached *a = tree_find(w, first, end);
    int covered = a && a->base <= first && end <= a->end;
    pthread_mutex_unlock(&w->mutex);
    return covered;
}

void csp_attach_drop(struct csp_win *w)
{
    tdestroy(w->attached, free);
    w->attached = NULL;
    while (w->attached_empty) {
        struct csp_attached *a = w->attached_empty;
        w->attached_empty = a->next;
        free(a);
    }
}
