// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Lock server: who may access which target of this node. A request is granted when it conflicts with no holder
// and with no earlier request. Grants and requests are control messages; nobody polls. MPI-4.1 12.5.3. The other
// half is src/rma/rma_lock.c.
//
// Earlier is who asked here first, but for lock_all, which asks each node when it first uses it and holds others by then:
// two of them that queued behind exclusive requests on two nodes could wait for each other. It is earlier than exclusive requests
// that came after it began. What that means is said by Lamport clocks, one for each window and node: an exclusive
// request gets the next number from its server, a lock_all brings its node's clock of when it began, a grant
// brings the server's to the origin's node. So an exclusive request waits for lock_alls with a lower stamp alone, a
// lock_all for exclusive requests with none higher than its own: no circle; and a lock_all that begins after a grant has told its node waits.
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
    uint64_t stamp, cookie, asked_ns;
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

static int conflict(const struct lock *a, const struct lock *b)
{
    return same_target(a, b) && (a->exclusive || b->exclusive);
}

// Whether l waits for o, which came before it.
static int waits_for(const struct lock *l, const struct lock *o)
{
    return conflict(o, l) && (o->granted || l->exclusive || o->stamp <= l->stamp);
}

// May l be granted, given those before it and the holders?
static int grantable(const struct server *s, const struct lock *l)
{
    for (const struct lock *o = s->locks; o; o = o->next) {
        if (o == l)
            break; // the rest came later; holders among them are compatible with what was granted
                   // then
        if (waits_for(l, o))
            return 0;
    }
    for (const struct lock *o = l->next; o; o = o->next)
        if (o->granted && conflict(o, l))
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
        struct csp_am msg = {.type = CSP_AM_GRANT,
                             .gid = s->gid,
                             .cookie = l->cookie,
                             .spare = {atomic_load(&s->node->lock_clock)}};
        csp_am_send(l->origin, &msg);
        n++;
    }
    return n;
}

// The order of a request; after `exclusive` was raised.
static uint64_t stamp_of(struct csp_wnode *node, const struct csp_am *msg)
{
    if (msg->b == CSP_LOCK_EXCLUSIVE)
        return atomic_fetch_add(&node->lock_clock, 1) + 1;
    if (msg->a != ALL_TARGETS)
        return UINT64_MAX; // after all that are here
    csp_lock_clock_raise(node, msg->spare[0]);
    return msg->spare[0];
}

static void on_lock(const struct csp_am *msg)
{
    struct server *s = server_of(msg);
    struct lock *l = malloc(sizeof(*l)), **end = &s->locks;
    CSP_CHECK(l, "out of memory for a lock");
    *l = (struct lock){.origin = msg->src,
                       .target = msg->a,
                       .exclusive = msg->b == CSP_LOCK_EXCLUSIVE,
                       .cookie = msg->cookie,
                       .asked_ns = csp_clock_ns()};
    while (*end)
        end = &(*end)->next;
    *end = l;
    atomic_fetch_add_explicit(&s->node->server_locks, 1, memory_order_relaxed);
    if (l->exclusive && s->exclusives++ == 0)
        atomic_store_explicit(&s->node->exclusive, 1, memory_order_seq_cst);
    l->stamp = stamp_of(s->node, msg);
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
