// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// From the program's MPI_Win to ours, read without a lock; from a window's id to it.
#include "rma/rma_win.h"

#include "base/handles.h"
#include "rma/rma_early.h"
#include "runtime/wait.h"

struct csp_handles csp_windows = CSP_HANDLES_INIT;

// The live windows by gid, for message handlers; under the lock of rma_early.h.
enum { BUCKETS = 256 };
static struct csp_win *by_gid[BUCKETS];

static struct csp_win **bucket(uint64_t gid)
{
    return &by_gid[csp_hash(gid, 32) % BUCKETS];
}

struct csp_win *csp_win_by_gid(uint64_t gid)
{
    struct csp_win *w = *bucket(gid);
    while (w && w->gid != gid)
        w = w->next_by_gid;
    return w;
}

void csp_win_each(void (*visit)(struct csp_win *))
{
    for (int i = 0; i < BUCKETS; i++)
        for (struct csp_win *w = by_gid[i]; w; w = w->next_by_gid)
            visit(w);
}

void csp_win_register(struct csp_win *w)
{
    w->key = (uintptr_t)w->handle;
    csp_handles_put(&csp_windows, w->key, w);
    csp_early_lock();
    w->next_by_gid = *bucket(w->gid);
    *bucket(w->gid) = w;
    csp_early_replay(w);
    csp_early_unlock();
}

void csp_win_forget(struct csp_win *w)
{
    csp_early_lock();
    struct csp_win **at = bucket(w->gid);
    while (*at != w)
        at = &(*at)->next_by_gid;
    *at = w->next_by_gid;
    csp_early_unlock();
    // The carrier is freed already: another thread's new carrier may have the same handle by now.
    csp_handles_drop(&csp_windows, w->key, w);
}

struct csp_win *csp_win_pin(uint64_t gid)
{
    csp_early_lock();
    struct csp_win *w = csp_win_by_gid(gid);
    if (w && w->leaving)
        w = NULL;
    if (w)
        atomic_fetch_add_explicit(&w->pins, 1, memory_order_relaxed);
    csp_early_unlock();
    return w;
}

void csp_win_unpin(struct csp_win *w)
{
    if (w) // release: pairs with the acquire in csp_win_leave
        atomic_fetch_sub_explicit(&w->pins, 1, memory_order_release);
}

void csp_win_leave(struct csp_win *w)
{
    struct csp_wait wait;
    csp_early_lock();
    w->leaving = 1;
    csp_early_unlock();
    csp_wait_begin(&wait, "another thread to complete requests on window %ld", (long)w->gid);
    while (atomic_load_explicit(&w->pins, memory_order_acquire))
        csp_wait_turn(&wait);
}

void csp_win_stay(struct csp_win *w)
{
    csp_early_lock();
    w->leaving = 0;
    csp_early_unlock();
}

void csp_win_not_ours(MPI_Win handle)
{
    csp_handles_drop(&csp_windows, (uintptr_t)handle, NULL);
}
