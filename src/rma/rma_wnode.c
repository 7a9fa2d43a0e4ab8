// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "rma/rma_wnode.h"

#include <stdlib.h>
#include <string.h>
#include "rma/rma_auto.h"
#include "rma/rma_bind.h"
#include "runtime/meta.h"
#include "runtime/node.h"
#include "runtime/predict.h"
#include "runtime/quirks.h"
#include "runtime/wait.h"

struct csp_wnode *csp_wnode_at(uint64_t off)
{
    return (struct csp_wnode *)((char *)csp_rt.pool.base + off);
}

// Whether Casper executes accumulates, unless the window wants otherwise.
static enum csp_soft_acc soft_acc(const struct csp_members *m, int mapped)
{
    return mapped && m->nnodes > 1 ? csp_quirks.soft_acc : CSP_SOFT_ACC_NEVER;
}

// Locks on this node; leaders must know it before they have the cards.
static int acc_locks(const struct csp_members *m, int mapped)
{
    if (m->nnodes == 1)
        return m->n;
    return soft_acc(m, mapped) ? csp_rt.page->nprocs - csp_rt.page->ng : 0;
}

static uint64_t routes_bytes(const struct csp_members *m, enum csp_async_wish async)
{
    if (!csp_async_may_change(async) || m->nnodes == 1)
        return 0;
    return csp_predict_used() ? (uint64_t)m->n
                              : (uint64_t)m->nlocal * csp_auto_gates_bytes(m->nnodes);
}

// `ready` must be down, and locks be free, before anybody can learn the offset: the heap hands out used
// memory, and ghosts get operations as soon as other nodes are ready.
uint64_t csp_wnode_alloc(const struct csp_members *m, int mapped, enum csp_async_wish async)
{
    size_t locks = (size_t)acc_locks(m, mapped);
    uint64_t off = csp_heap_alloc(
        csp_rt.heap, csp_wnode_bytes(m->n, (int)locks, routes_bytes(m, async)), CSP_PART_ALIGN);
    if (off == CSP_OFF_NONE)
        return off;
    memset(csp_wnode_at(off), 0, sizeof(struct csp_wnode));
    memset(csp_wnode_behind_peers(csp_wnode_at(off), m->n), 0, locks * sizeof(struct csp_acc_lock));
    return off;
}

static void fill(const struct csp_win *w, const struct csp_card *cards, int own)
{
    const struct csp_members *m = w->members;
    struct csp_wnode *node = w->node;
    uint8_t *profile = csp_predict_used() ? w->routes : NULL;
    const int32_t *node_of = csp_topo_node_of_wrank(csp_rt.topo);
    uint64_t *end = calloc((size_t)csp_rt.topo->nnodes, sizeof(*end));
    CSP_CHECK(end, "out of memory for a window");
    node->n = (uint32_t)m->n;
    node->gid = cards[0].gid;
    atomic_init(&node->users, (uint32_t)m->nlocal);
    for (int i = 0; i < m->n; i++) {
        int32_t wrank = m->wrank[i], at = node_of[wrank];
        node->peers[i] = (struct csp_peer){
            .off = own ? end[at] : cards[i].off,
            .size = cards[i].size,
            .disp_unit = (uint32_t)cards[i].disp_unit,
            .wrank = wrank,
            .node = at,
            .ghost_bit = at * csp_rt.topo->ng + csp_topo_bound_gidx(csp_rt.topo, wrank),
        };
        end[at] += (cards[i].size + CSP_OWN_ALIGN - 1) / CSP_OWN_ALIGN * CSP_OWN_ALIGN;
        if (profile)
            profile[i] = (uint8_t)cards[i].predicted;
    }
    free(end);
    atomic_store_explicit(&node->ready, 1, memory_order_release); // pairs with await
}

static void await(struct csp_wnode *node, uint64_t gid)
{
    struct csp_wait wait;
    csp_wait_begin(&wait, "window creation: the node's leader to describe window %ld", (long)gid);
    while (!atomic_load_explicit(&node->ready, memory_order_acquire))
        csp_wait_turn(&wait);
}

void csp_wnode_describe(struct csp_win *w, int mapped, const struct csp_card *cards, int own)
{
    const struct csp_members *m = w->members;
    int locks = acc_locks(m, mapped);
    uint64_t routes = routes_bytes(m, (enum csp_async_wish)cards[0].async);
    char *behind = csp_wnode_behind_peers(w->node, m->n);
    w->acc_soft = soft_acc(m, mapped);
    if (w->acc_soft == CSP_SOFT_ACC_REDIRECTED && csp_bind_wants_segments((uint32_t)cards[0].bind))
        w->acc_soft = CSP_SOFT_ACC_NEVER;
    w->acc_moves = mapped && m->nnodes > 1 && w->acc_soft != CSP_SOFT_ACC_ALWAYS;
    w->acc_locks = w->acc_soft || m->nnodes == 1 ? (struct csp_acc_lock *)behind : NULL;
    w->routes = routes ? behind + (size_t)locks * sizeof(struct csp_acc_lock) : NULL;
    if (csp_members_lead(m)) {
        fill(w, cards, own);
        w->shared_bytes = (long long)csp_wnode_bytes(m->n, locks, routes);
    } else {
        await(w->node, w->gid);
    }
    csp_meta_count(CSP_META_SHARED, w->shared_bytes);
}

void csp_wnode_release(struct csp_win *w)
{
    csp_meta_count(CSP_META_SHARED, -w->shared_bytes);
    if (atomic_fetch_sub_explicit(&w->node->users, 1, memory_order_acq_rel) != 1)
        return;
    struct csp_wait wait;
    csp_wait_begin(&wait, "MPI_Win_free: the lock server of this node to take the last unlock");
    while (atomic_load_explicit(&w->node->server_locks, memory_order_acquire) != 0)
        csp_wait_turn(&wait);
    csp_heap_free(csp_rt.heap, w->node_offs[csp_rt.node]);
}
