// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The ghost's part of routes that are decided by measurement: control messages in and out of adapt/keep.h. On
// the first ghost of a node only. The other half is src/rma/rma_auto.c; docs/design/adaptive.md.
#include "adapt/keep.h"
#include "base/clock.h"
#include "base/log.h"
#include "ghost/ghost.h"
#include "runtime/am.h"
#include "runtime/changes.h"
#include "runtime/predict.h"
#include "runtime/rt.h"

static struct csp_keep *keep; // from the first message on
static int heard;             // messages since the last turn

static void send(void *ctx, int to_node, const struct csp_keep_msg *m)
{
    (void)ctx;
    struct csp_am msg = {
        .type = CSP_AM_ROUTE_KEEP, .gid = m->gid, .a = m->node, .b = m->kind, .cookie = m->n};
    msg.off = m->route;
    msg.spare[0] = (uint64_t)m->calls << 32 | m->users;
    msg.spare[1] = m->waited_ns;
    msg.spare[2] = m->patience_ns;
    csp_am_send(csp_topo_ghosts(csp_rt.topo)[to_node * csp_rt.topo->ng], &msg);
}

static void say(void *ctx, uint64_t gid, const struct csp_adapt *why, uint64_t users)
{
    (void)ctx;
    double with = why->cost[CSP_ADAPT_ON].ns * (double)users;
    double without = why->cost[CSP_ADAPT_OFF].ns * (double)users;
    csp_change_note((struct csp_change){.gid = gid,
                                        .who = csp_rt.node,
                                        .by = CSP_CHANGE_MEASURED,
                                        .off = why->home == CSP_ADAPT_OFF,
                                        .with = with,
                                        .without = without});
    csp_info("window %llx, targets of node %d: redirection is %s now: users waited %.2f us for an "
             "operation (for each 4 KB of a larger one) with and %.2f without it",
             (unsigned long long)gid, csp_rt.node, why->home == CSP_ADAPT_OFF ? "off" : "on",
             with * 1e-3, without * 1e-3);
}

static void need_keep(void)
{
    if (keep)
        return;
    struct csp_keep_config c = {csp_adapt_config_for(csp_predict_interval_ns()), csp_rt.node, send,
                                say, NULL};
    c.adapt.alternate = csp_config.auto_method == CSP_CONFIG_AUTO_METHOD_ALTERNATE;
    keep = csp_keep_new(&c);
}

static void on_user(const struct csp_am *msg)
{
    struct csp_gate *gate = (struct csp_gate *)((char *)csp_rt.pool.base + msg->off);
    need_keep();
    if (msg->type == CSP_AM_ROUTE_JOIN)
        csp_keep_join(keep, msg->gid, msg->a, msg->b, gate);
    else
        csp_keep_leave(keep, msg->gid, msg->a, gate);
}

static void on_keep(const struct csp_am *msg)
{
    struct csp_keep_msg m = {.gid = msg->gid,
                             .node = msg->a,
                             .kind = (uint16_t)msg->b,
                             .route = (uint16_t)msg->off,
                             .users = (uint32_t)msg->spare[0],
                             .calls = (uint32_t)(msg->spare[0] >> 32),
                             .n = msg->cookie,
                             .waited_ns = msg->spare[1],
                             .patience_ns = msg->spare[2]};
    need_keep();
    heard = 1;
    csp_keep_receive(keep, csp_topo_node_of_wrank(csp_rt.topo)[msg->src], &m, csp_clock_ns());
}

int csp_ghost_route_turn(uint64_t now_ns)
{
    if (!keep)
        return 0;
    int done = csp_keep_turn(keep, now_ns) | heard;
    heard = 0;
    return done;
}

void csp_ghost_route_start(void)
{
    csp_am_handle(CSP_AM_ROUTE_JOIN, on_user);
    csp_am_handle(CSP_AM_ROUTE_LEAVE, on_user);
    csp_am_handle(CSP_AM_ROUTE_KEEP, on_keep);
}

void csp_ghost_route_stop(void)
{
    if (keep)
        csp_keep_free(keep);
    keep = NULL;
}
