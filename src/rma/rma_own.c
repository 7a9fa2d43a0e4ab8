// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Windows with a segment of their own: parts too large for the pool. One segment per node and one
// internal window over the window's users and the ghosts of their nodes. MPI-4.1 12.2.2.
//
//   lowest process      node leaders               users            ghosts
//   TOKEN --------------------------------------------------------> first ghost of the job
//   <---- GRANT --------------------------------------------------- one creation at a time
//   Bcast (token held) ->                                           (or: a spare fits)
//                       create the segment
//                       key in csp_wnode; WIN_MAP ----------------> attach, mapped++
//                                                  attach, mapped++
//                       wait for all of the node
//   Allreduce: all mapped?
//                       WIN_MAKE ---------------------------------> the same two calls
//   PMPI_Comm_create_group (once per set of processes), PMPI_Win_create, lock_all
//   TOKEN_END ----------------------------------------------------> next
//
// The token orders creations (and frees) in the whole job, so ghosts meet them in the same order
// everywhere and no two can wait for each other.
#include "rma/rma_own.h"

#include <stdlib.h>
#include "rma/rma_spare.h"
#include "runtime/am.h"
#include "runtime/ext.h"
#include "runtime/meta.h"
#include "runtime/wait.h"

static int token_server(void)
{
    return csp_topo_ghosts(csp_rt.topo)[0];
}

static void token_take(void)
{
    _Atomic uint64_t granted = 0;
    struct csp_am msg = {.type = CSP_AM_TOKEN, .cookie = (uintptr_t)&granted};
    struct csp_wait wait;
    csp_am_send(token_server(), &msg);
    csp_wait_begin(&wait, "creation token of ghost %ld (windows are created one at a time)",
                   token_server());
    while (!atomic_load_explicit(&granted, memory_order_acquire))
        csp_wait_turn(&wait);
}

static void token_give(void)
{
    struct csp_am msg = {.type = CSP_AM_TOKEN_END};
    csp_am_send(token_server(), &msg);
}

// The lowest process: the same whatever the order of ranks in the communicator.
static int decider(const struct csp_win *w)
{
    int lowest = 0;
    for (int i = 1; i < w->n; i++)
        if (w->peers[i].wrank < w->peers[lowest].wrank)
            lowest = i;
    return lowest;
}

static void tell_ghosts(uint64_t id, uint64_t wnode_off, enum csp_am_type type)
{
    for (int g = 0; g < csp_rt.topo->ng; g++) {
        struct csp_am msg = {.type = type, .gid = id, .off = wnode_off};
        csp_am_send(csp_topo_ghosts(csp_rt.topo)[csp_rt.node * csp_rt.topo->ng + g], &msg);
    }
}

// What the window needs in each node's segment.
static uint64_t *node_bytes(const struct csp_win *w)
{
    uint64_t *bytes = csp_meta_alloc(CSP_META_WINDOW, (size_t)csp_rt.topo->nnodes * sizeof(*bytes));
    for (int i = 0; i < csp_rt.topo->nnodes; i++)
        bytes[i] = 4096;
    for (int i = 0; i < w->n; i++) {
        const struct csp_peer *p = &w->peers[i];
        if (p->off + p->size > bytes[p->node])
            bytes[p->node] = p->off + p->size;
    }
    return bytes;
}

static void report_mapped(struct csp_wnode *node, int ok)
{
    if (!ok)
        atomic_store_explicit(&node->failed, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&node->mapped, 1, memory_order_acq_rel);
}

static void await_mapped(struct csp_win *w, uint32_t n, const char *whom)
{
    struct csp_wait wait;
    csp_wait_begin3(&wait, whom, (long)w->gid, (long)n, 0);
    while (atomic_load_explicit(&w->node->mapped, memory_order_acquire) < n)
        csp_wait_turn(&wait);
}

// My node's segment: the leader makes it, all map it. `mapped` counts 1 when the key is written,
// then everybody of the node who tried.
static int map_segment(struct csp_win *w)
{
    uint32_t all = 1 + (uint32_t)(w->members->nlocal - 1 + csp_rt.topo->ng);
    if (csp_members_lead(w->members)) {
        uint64_t bytes = w->own.node_bytes[csp_rt.node];
        report_mapped(w->node,
                      csp_seg_create(bytes, 0, &w->own.own_seg, &w->node->key) == CSP_OK ||
                          csp_seg_create(bytes, 1, &w->own.own_seg, &w->node->key) == CSP_OK);
        tell_ghosts(w->gid, w->node_offs[csp_rt.node], CSP_AM_WIN_MAP);
    } else {
        await_mapped(w, 1, "MPI_Win_allocate: the node's leader to make the segment of window %ld");
        report_mapped(w->node, !atomic_load_explicit(&w->node->failed, memory_order_acquire) &&
                                   csp_seg_attach(&w->node->key, &w->own.own_seg) == CSP_OK);
    }
    await_mapped(w, all,
                 "MPI_Win_allocate: users and ghosts of the node to map window %ld (%ld of them)");
    if (csp_members_lead(w->members))
        csp_seg_unlink(&w->own.own_seg);
    return !atomic_load_explicit(&w->node->failed, memory_order_relaxed);
}

static int make_internal(struct csp_win *w)
{
    char *base = w->own.users ? w->own.own_seg.base : NULL;
    MPI_Aint bytes = w->own.users ? (MPI_Aint)w->own.own_seg.bytes : 0;
    csp_ext_meet();
    const struct csp_ext *ext = csp_ext_of(w->node);
    int made = ext && csp_ext_win(ext->comm, base, bytes, &w->own.win) == MPI_SUCCESS;
    csp_ext_part();
    if (!made)
        return 0;
    w->own.ext = ext;
    w->own.seg = &w->own.own_seg;
    w->own.own_ghosts = csp_ext_ghost_ranks(ext);
    w->own.ghosts = w->own.own_ghosts;
    w->iwin = &w->own;
    return 1;
}

static int create(struct csp_win *w, MPI_Comm comm)
{
    int ok, all = 0;
    w->own.id = w->gid;
    ok = map_segment(w);
    int rc = csp_mpi.Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, comm);
    all = all && rc == MPI_SUCCESS;
    if (csp_members_lead(w->members))
        tell_ghosts(w->gid, w->node_offs[csp_rt.node], all ? CSP_AM_WIN_MAKE : CSP_AM_WIN_DROP);
    if (all) {
        CSP_CHECK(make_internal(w), "the MPI library could not create an internal window");
    } else {
        csp_seg_detach(&w->own.own_seg);
        csp_meta_free(CSP_META_WINDOW, w->own.node_bytes);
    }
    return all;
}

int csp_own_create(struct csp_win *w, MPI_Comm comm)
{
    int root = decider(w);
    struct csp_spare *spare = NULL;
    struct csp_spare_choice choice;
    w->own.node_bytes = node_bytes(w);
    if (w->rank == root) {
        spare = csp_spare_choose(w, &choice);
        if (!choice.fits)
            token_take();
    }
    int rc = csp_mpi.Bcast(&choice, 2, MPI_UINT64_T, root, comm); // none fits: the token is held
    CSP_CHECK(rc == MPI_SUCCESS, "a broadcast in MPI_Win_allocate failed");
    if (w->rank != root && choice.id)
        spare = csp_spare_follow(choice.id);
    if (choice.fits) {
        csp_spare_use(w, spare);
        return 1;
    }
    if (spare)
        csp_spare_discard(spare);
    int made = create(w, comm);
    if (w->rank == root)
        token_give();
    return made;
}

void csp_own_discard(struct csp_iwin *own, int leads)
{
    if (leads)
        tell_ghosts(own->id, 0, CSP_AM_WIN_FREE);
    csp_ext_meet();
    csp_ext_win_free(&own->win);
    csp_ext_part();
    csp_meta_free(CSP_META_WINDOW, own->own_ghosts);
    csp_meta_free(CSP_META_WINDOW, own->node_bytes);
    csp_seg_detach(&own->own_seg);
}

void csp_own_free(struct csp_win *w)
{
    if (csp_spare_keep(w))
        return;
    int decides = w->rank == decider(w);
    if (decides)
        token_take();
    csp_win_barrier(w); // the token is held
    csp_own_discard(&w->own, csp_members_lead(w->members));
    if (decides)
        token_give();
}
