// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Message handlers of the user role. They run in whatever thread polls.
#include "rma/rma_early.h"

#include <stdlib.h>
#include "rma/rma_profile.h"
#include "rma/rma_win.h"
#include "runtime/am.h"

struct early {
    struct early *next;
    struct csp_am msg;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct early *first, **last = &first;

void csp_early_lock(void)
{
    pthread_mutex_lock(&lock);
}

void csp_early_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

static void add_post(struct csp_win *w, int rank)
{
    pthread_mutex_lock(&w->mutex);
    if (w->nposts == w->posts_room) {
        w->posts_room = w->posts_room ? w->posts_room * 2 : 16;
        int *more = realloc(w->posts, (size_t)w->posts_room * sizeof(int));
        CSP_CHECK(more, "out of memory for MPI_Win_post");
        w->posts = more;
    }
    w->posts[w->nposts++] = rank;
    pthread_mutex_unlock(&w->mutex);
}

static void deliver(struct csp_win *w, const struct csp_am *msg)
{
    switch (msg->type) {
    case CSP_AM_BARRIER: // release: pairs with the acquire in csp_win_barrier
        if (msg->b)
            atomic_fetch_or_explicit(&w->node->votes[msg->off], (uint32_t)msg->b,
                                     memory_order_relaxed);
        atomic_fetch_add_explicit(&w->barrier_in[msg->a], 1, memory_order_release);
        break;
    case CSP_AM_POST:
        add_post(w, msg->a);
        break;
    case CSP_AM_PROFILE:
        csp_profile_deliver(w, msg);
        break;
    default: // CSP_AM_COMPLETE; release: pairs with the acquire in csp_rma_win_test
        atomic_fetch_add_explicit(&w->completes, 1, memory_order_release);
        break;
    }
}

static void on_window_message(const struct csp_am *msg)
{
    csp_early_lock();
    struct csp_win *w = csp_win_by_gid(msg->gid);
    if (w) {
        deliver(w, msg);
    } else {
        struct early *e = malloc(sizeof(*e));
        CSP_CHECK(!msg->text_bytes, "message %u for a window that is not here", msg->type);
        CSP_CHECK(e, "out of memory for an early message");
        *e = (struct early){.msg = *msg};
        *last = e;
        last = &e->next;
    }
    csp_early_unlock();
}

void csp_early_replay(struct csp_win *w)
{
    struct early **at = &first;
    while (*at) {
        struct early *e = *at;
        if (e->msg.gid != w->gid) {
            at = &e->next;
            continue;
        }
        deliver(w, &e->msg);
        *at = e->next;
        free(e);
    }
    last = at;
}

// The cookie is the address where the waiter looks.
static void on_grant(const struct csp_am *msg)
{
    _Atomic uint64_t *granted = (_Atomic uint64_t *)(uintptr_t)msg->cookie;
    atomic_store_explicit(granted, msg->spare[0] + 1,
                          memory_order_release); // pairs with the waiter's acquire
}

void csp_rma_am_start(void)
{
    csp_am_handle(CSP_AM_BARRIER, on_window_message);
    csp_am_handle(CSP_AM_POST, on_window_message);
    csp_am_handle(CSP_AM_COMPLETE, on_window_message);
    csp_am_handle(CSP_AM_PROFILE, on_window_message);
    csp_am_handle(CSP_AM_GRANT, on_grant);
}
