// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The ghost's part of windows with a segment of their own; the ladder is in src/rma/rma_own.c.
// Handlers only note what is asked; the loop does it, one after the other in the order of arrival,
// which the creation token makes the same for all ghosts.
#include <stdlib.h>
#include "base/log.h"
#include "ghost/ghost.h"
#include "runtime/am.h"
#include "runtime/ext.h"
#include "runtime/rt.h"

struct work {
    struct work *next;
    struct csp_am msg;
};

struct window {
    struct window *next;
    uint64_t gid;
    struct csp_seg seg;
    MPI_Win win;
};

static struct work *first, **last = &first;
static struct window *windows;

static void on_command(const struct csp_am *msg)
{
    struct work *w = malloc(sizeof(*w));
    CSP_CHECK(w, "out of memory for a window command");
    *w = (struct work){.msg = *msg};
    *last = w;
    last = &w->next;
}

static struct window **look_up(uint64_t gid)
{
    struct window **at = &windows;
    while (*at && (*at)->gid != gid)
        at = &(*at)->next;
    return at;
}

// For each piece: the window that is in use is the first one then, however many there are.
const struct csp_seg *csp_ghost_win_seg(uint64_t id)
{
    struct window **at = look_up(id), *w = *at;
    if (!w)
        return NULL;
    *at = w->next;
    w->next = windows;
    windows = w;
    return &w->seg;
}

static struct window **find(uint64_t gid)
{
    struct window **at = look_up(gid);
    CSP_CHECK(*at, "command for window %llx, which is not mapped here", (unsigned long long)gid);
    return at;
}

static void map(struct csp_wnode *node, uint64_t gid)
{
    struct window *w = calloc(1, sizeof(*w));
    CSP_CHECK(w, "out of memory for a window");
    w->gid = gid;
    w->next = windows;
    windows = w;
    if (atomic_load_explicit(&node->failed, memory_order_acquire) ||
        csp_seg_attach(&node->key, &w->seg) != CSP_OK)
        atomic_store_explicit(&node->failed, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&node->mapped, 1, memory_order_acq_rel);
}

static void make(const struct csp_wnode *node, uint64_t gid)
{
    struct window *w = *find(gid);
    const struct csp_ext *ext = csp_ext_of(node);
    CSP_CHECK(ext && csp_ext_win(ext->comm, w->seg.base, (MPI_Aint)w->seg.bytes, &w->win) ==
                         MPI_SUCCESS,
              "the MPI library could not create the internal window of window %llx",
              (unsigned long long)gid);
}

static void drop(uint64_t gid, int made)
{
    struct window **at = find(gid), *w = *at;
    if (made)
        csp_ext_win_free(&w->win);
    csp_seg_detach(&w->seg);
    *at = w->next;
    free(w);
}

static void execute(const struct csp_am *msg)
{
    struct csp_wnode *node = (struct csp_wnode *)((char *)csp_rt.pool.base + msg->off);
    csp_ext_meet();
    switch (msg->type) {
    case CSP_AM_WIN_MAP:
        map(node, msg->gid);
        break;
    case CSP_AM_WIN_MAKE:
        make(node, msg->gid);
        break;
    default:
        drop(msg->gid, msg->type == CSP_AM_WIN_FREE);
        break;
    }
    csp_ext_part();
}

int csp_ghost_win_turn(void)
{
    int n = 0;
    for (; first; n++) {
        struct work *w = first;
        first = w->next;
        if (!first)
            last = &first;
        execute(&w->msg);
        free(w);
    }
    return n;
}

void csp_ghost_win_start(void)
{
    for (enum csp_am_type t = CSP_AM_WIN_MAP; t <= CSP_AM_WIN_FREE; t++)
        csp_am_handle(t, on_command);
}
