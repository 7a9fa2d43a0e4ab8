// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Lock server: who may access which target of this node. FIFO: a request is granted when it
// conflicts with no holder and with no earlier request. Grants and requests are control messages;
// nobody polls. MPI-4.1 12.5.3. The other half is src/rma/rma_lock.c.
//
// lock_all of a user of this node is counted in the csp_wnode instead; an exclusive request raises
// `exclusive` there (later lock_alls then come here) and waits until the counter is 0.
#include <stdlib.h>
#include "base/clock.h"
#include "base/log.h"
#include "ghost/ghost.h"
#include "runtime/am.h"
#include "runtime/rt.h"
#include "runtime/wnode.h"

enum { ALL_TARGETS = -1 };

// A lock held or asked for; both lists are in the order of arrival.
struct lock {
    struct lock *next;
    int origin, target, exclusive; // wrank; window rank or ALL_TARGETS
    int granted;
    int overtakes; // waits for holders only, not for earlier requests
    uint64_t cookie, asked_ns;
};

// The locks of one window on this node; exists while it has any.
struct server {
    struct server *next;
    uint64_t gid;
    struct csp_wnode *node;
    struct lock *locks;
    int exclusives; // held or asked for
};

static struct server *servers;
static int waiting_for_count; // an exclusive request waits for a node's lock_all counter

static struct server **find(uint64_t gid)
{
    struct server **at = &servers;
    while (*at && (*at)->gid != gid)
        at = &(*at)->next;
    return at;
}

static struct server *server_of(const struct csp_am *msg)
{
    struct server **at = find(msg->gid);
    if (*at)
        return *at;
    struct server *s = calloc(1, sizeof(*s));
    CSP_CHECK(s, "out of memory for a lock");
    s->gid = msg->gid;
    s->node = (struct csp_wnode *)((char *)csp_rt.pool.base + msg->off);
    s->next = servers;
    servers = s;
    return s;
}

static int same_target(const struct lock *a, const struct lock *b)
{
    return a->target == b->target || a->target == ALL_TARGETS || b->target == ALL_TARGETS;
}

// May l be granted, given those before it and the holders?
static int grantable(const struct server *s, const struct lock *l)
{
    for (const struct lock *o = s->locks; o; o = o->next) {
        if (o == l)
            break; // the rest came later; holders among them are compatible with what was granted
                   // then
        if (same_target(o, l) && (o->exclusive || l->exclusive) && (o->granted || !l->overtakes))
            return 0;
    }
    for (const struct lock *o = l->next; o; o = o->next)
        if (o->granted && same_target(o, l) && (o->exclusive || l->exclusive))
            return 0;
    return 1;
}

static int counter_is_zero(const struct server *s)
{
    // seq_cst: pairs with count_myself, which adds to the counter and then reads `exclusive`
    return atomic_load_explicit(&s->node->lockall_count, memory_order_seq_cst) == 0;
}

static int grant_all(struct server *s)
{
    int n = 0;
    for (struct lock *l = s->locks; l; l = l->next) {
        if (l->granted || !grantable(s, l))
            continue;
        if (l->exclusive && !counter_is_zero(s)) {
            waiting_for_count = 1;
            continue;
        }
        l->granted = 1;
        struct csp_am msg = {.type = CSP_AM_GRANT, .gid = s->gid, .cookie = l->cookie};
        csp_am_send(l->origin, &msg);
        n++;
    }
    return n;
}

static void on_lock(const struct csp_am *msg)
{
    struct server *s = server_of(msg);
    struct lock *l = malloc(sizeof(*l)), **end = &s->locks;
    CSP_CHECK(l, "out of memory for a lock");
    *l = (struct lock){.origin = msg->src,
                       .target = msg->a,
                       .exclusive = (msg->b & CSP_LOCK_EXCLUSIVE) != 0,
                       .overtakes = (msg->b & CSP_LOCK_OVERTAKE) != 0,
                       .cookie = msg->cookie,
                       .asked_ns = csp_clock_ns()};
    while (*end)
        end = &(*end)->next;
    *end = l;
    atomic_fetch_add_explicit(&s->node->server_locks, 1, memory_order_relaxed);
    if (l->exclusive && s->exclusives++ == 0)
        atomic_store_explicit(&s->node->exclusive, 1, memory_order_seq_cst);
    grant_all(s);
}

static void drop_server(struct server **at)
{
    struct server *s = *at;
    *at = s->next;
    free(s);
}

static void on_unlock(const struct csp_am *msg)
{
    struct server **at = find(msg->gid), *s = *at;
    CSP_CHECK(s, "unlock of window %llx by process %d: no lock is held",
              (unsigned long long)msg->gid, msg->src);
    struct lock **l = &s->locks;
    while (*l && !((*l)->granted && (*l)->origin == msg->src && (*l)->target == msg->a))
        l = &(*l)->next;
    CSP_CHECK(*l, "unlock of rank %d by process %d, which holds no lock of it", msg->a, msg->src);
    struct lock *gone = *l;
    *l = gone->next;
    if (gone->exclusive && --s->exclusives == 0)
        atomic_store_explicit(&s->node->exclusive, 0, memory_order_seq_cst);
    free(gone);
    grant_all(s);
    struct csp_wnode *node = s->node;
    if (!s->locks)
        drop_server(at);
    // Last touch of the window: its memory may be given back after this (release_wnode).
    atomic_fetch_sub_explicit(&node->server_locks, 1, memory_order_release);
}

int csp_ghost_lock_turn(void)
{
    if (!waiting_for_count)
        return 0;
    int n = 0;
    waiting_for_count = 0;
    for (struct server *s = servers; s; s = s->next)
        n += grant_all(s);
    return n;
}

static int waits_since(const struct server *s, uint64_t then)
{
    for (const struct lock *l = s->locks; l; l = l->next)
        if (!l->granted && l->asked_ns < then)
            return 1;
    return 0;
}

static void dump(const struct server *s)
{
    for (const struct lock *l = s->locks; l; l = l->next)
        csp_warn("window %llx: process %d %s the %s lock of rank %d", (unsigned long long)s->gid,
                 l->origin, l->granted ? "holds" : "waits for",
                 l->exclusive ? "exclusive" : "shared", l->target);
}

void csp_ghost_lock_watch(uint64_t now)
{
    static uint64_t next;
    uint64_t limit = (uint64_t)csp_config.watchdog_s * 1000000000u;
    if (limit == 0 || now < next)
        return;
    next = now + limit;
    for (const struct server *s = servers; s && now > limit; s = s->next)
        if (waits_since(s, now - limit))
            dump(s);
}

void csp_ghost_lock_start(void)
{
    csp_am_handle(CSP_AM_LOCK, on_lock);
    csp_am_handle(CSP_AM_UNLOCK, on_unlock);
}
