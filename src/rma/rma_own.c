// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Windows with a segment of their own: parts too large for the pool. One segment per node and one
// internal window over the window's users and the ghosts of their nodes. MPI-4.1 12.2.2.
//
//   rank 0              node leaders               users            ghosts
//   TOKEN --------------------------------------------------------> first ghost of the job
//   <---- GRANT --------------------------------------------------- one creation at a time
//   Bcast (token held) ->
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
#include "rma/rma_win.h"

#include <stdlib.h>
#include "runtime/am.h"
#include "runtime/ext.h"
#include "runtime/wait.h"

static int token_server(void)
{
    return csp_topo_ghosts(csp_rt.topo)[0];
}

static void token_take(void)
{
    _Atomic int granted = 0;
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

static int leads(const struct csp_win *w)
{
    return w->members->leaders[w->members->my_node_idx] == w->rank;
}

static void tell_ghosts(struct csp_win *w, enum csp_am_type type)
{
    for (int g = 0; g < csp_rt.topo->ng; g++) {
        struct csp_am msg = {.type = type, .gid = w->gid, .off = w->node_offs[csp_rt.node]};
        csp_am_send(csp_topo_ghosts(csp_rt.topo)[csp_rt.node * csp_rt.topo->ng + g], &msg);
    }
}

static uint64_t node_bytes(const struct csp_win *w)
{
    uint64_t bytes = 4096;
    for (int i = 0; i < w->n; i++)
        if (w->peers[i].node == csp_rt.node && w->peers[i].off + w->peers[i].size > bytes)
            bytes = w->peers[i].off + w->peers[i].size;
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
    if (leads(w)) {
        report_mapped(w->node,
                      csp_seg_create(node_bytes(w), 0, &w->own.own_seg, &w->node->key) == CSP_OK ||
                          csp_seg_create(node_bytes(w), 1, &w->own.own_seg, &w->node->key) ==
                              CSP_OK);
        tell_ghosts(w, CSP_AM_WIN_MAP);
    } else {
        await_mapped(w, 1, "MPI_Win_allocate: the node's leader to make the segment of window %ld");
        report_mapped(w->node, !atomic_load_explicit(&w->node->failed, memory_order_acquire) &&
                                   csp_seg_attach(&w->node->key, &w->own.own_seg) == CSP_OK);
    }
    await_mapped(w, all,
                 "MPI_Win_allocate: users and ghosts of the node to map window %ld (%ld of them)");
    if (leads(w))
        csp_seg_unlink(&w->own.own_seg);
    return !atomic_load_explicit(&w->node->failed, memory_order_relaxed);
}

static int make_internal(struct csp_win *w)
{
    MPI_Comm ext = csp_ext_comm(w->node);
    int rc = ext == MPI_COMM_NULL ? MPI_ERR_INTERN : csp_ext_win(ext, NULL, 0, &w->own.win);
    if (rc != MPI_SUCCESS)
        return 0;
    w->own.seg = &w->own.own_seg;
    w->own.own_ghosts = csp_ext_ghost_ranks(w->node);
    w->own.ghosts = w->own.own_ghosts;
    w->iwin = &w->own;
    return 1;
}

int csp_own_create(struct csp_win *w, MPI_Comm comm)
{
    int ok = 0, all = 0, rc;
    if (w->rank == 0)
        token_take();
    rc = csp_mpi.Bcast(&ok, 1, MPI_INT, 0, comm); // the token is held
    ok = rc == MPI_SUCCESS && map_segment(w);
    rc = csp_mpi.Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, comm);
    all = all && rc == MPI_SUCCESS;
    if (leads(w))
        tell_ghosts(w, all ? CSP_AM_WIN_MAKE : CSP_AM_WIN_DROP);
    if (all)
        CSP_CHECK(make_internal(w), "the MPI library could not create an internal window");
    else
        csp_seg_detach(&w->own.own_seg);
    if (w->rank == 0)
        token_give();
    return all;
}

void csp_own_free(struct csp_win *w)
{
    if (w->rank == 0)
        token_take();
    csp_win_barrier(w); // the token is held
    if (leads(w))
        tell_ghosts(w, CSP_AM_WIN_FREE);
    csp_ext_win_free(&w->own.win);
    if (w->rank == 0)
        token_give();
    free(w->own.own_ghosts);
    csp_seg_detach(&w->own.own_seg);
}
