// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Head of a node's pool segment: what the processes of a node know of each other. Written in init,
// except the fields marked atomic. Layout of the segment:
//   csp_node_page | csp_node_proc[nprocs] | csp_topo | predictions (runtime/predict.h), if used | heap
//   | heap of messages (p2p/p2p_room.h), if ghosts may carry any
// The internal window exposes all but the last, which grows.
#ifndef CSP_RUNTIME_NODE_H
#define CSP_RUNTIME_NODE_H

#include <stdatomic.h>
#include <stdint.h>
#include "adapt/rate.h"
#include "runtime/stats.h"
#include "shm/bell.h"
#include "trace/change.h"

enum { CSP_NODE_SAID = 16 };

#define CSP_NODE_MAGIC 0x4341535045523031u // "CASPER01"

enum csp_phase { CSP_PHASE_START = 0, CSP_PHASE_RUN, CSP_PHASE_ABORT, CSP_PHASE_END };

// One process of the node; [lrank].
struct csp_node_proc {
    _Alignas(64) _Atomic uint32_t
        phase; // enum csp_phase; ABORT: in MPI_Abort, END: reached MPI_Finalize
    int32_t pid, wrank, urank, gidx; // urank -1: ghost; gidx -1: user
    struct csp_bell bell;            // it sleeps here
    // ghost: control messages to receive before it leaves; set before `stop`
    _Atomic uint64_t messages_due;
    _Atomic uint32_t load_permille; // ghost: busy share of the last period
    _Atomic uint32_t reach;         // user: can ghosts reach its private memory? (runtime/vm.c)
    uint64_t probe_addr;            // where they try
    _Atomic uint64_t ring_off;      // user: of its csp_ring (runtime/cell.h); 0: none
    _Alignas(64) struct csp_mpi_time mpi_time; // user: runtime/mpi_time.h
    struct csp_mpi_time waiting;               // user with CSP_TRACE: likewise
    _Atomic uint64_t busy_ns;                  // ghost: that of `stats`, as of its last turn
    uint64_t pid_ns; // the namespace that its pid is of; others would take it for another process
    uint64_t probe_word;       // what is at probe_addr; another one in each process
    _Atomic uint32_t reported; // ghost: `stats` are as of the report
    _Alignas(64) struct csp_stats stats;
};

struct csp_node_page {
    uint64_t magic;
    int32_t node, nprocs, ng;
    uint64_t procs_off, topo_off, predictions_off, heap_off;
    uint64_t pool_bytes; // what the internal window exposes; behind it is the heap of messages
    _Alignas(64) _Atomic uint32_t stop; // users are done: ghosts leave their loop
    _Atomic uint32_t report;            // it is being made: ghosts publish their counters once more
    // Until one of them is not 0 ghosts sleep longer.
    _Atomic uint32_t used; // there was a window
    _Atomic int32_t flows; // of messages that ghosts carry now, and communicators of CSP_P2P=on
    _Atomic uint64_t said[CSP_NODE_SAID]; // warnings that one process of the node gives for all
    _Alignas(64) struct csp_changes changes;
};

static inline struct csp_node_proc *csp_node_procs(struct csp_node_page *page)
{
    return (struct csp_node_proc *)((char *)page + page->procs_off);
}

/** Does the pid of `other` mean that process to `me`? */
static inline int csp_node_sees(const struct csp_node_proc *me, const struct csp_node_proc *other)
{
    return me->pid_ns == other->pid_ns;
}

static inline void csp_node_ring_ghosts(struct csp_node_page *page)
{
    for (int i = 0; i < page->ng; i++)
        csp_bell_ring(&csp_node_procs(page)[i].bell);
}

/** Before the first operation or message can come for ghosts of this node. */
static inline void csp_node_use_ghosts(struct csp_node_page *page)
{
    if (atomic_load_explicit(&page->used, memory_order_relaxed))
        return;
    atomic_store_explicit(&page->used, 1, memory_order_release);
    csp_node_ring_ghosts(page);
}

/** The same for a flow of messages, which may as well be left to the MPI library again. */
static inline void csp_node_carry_flow(struct csp_node_page *page, int by_ghosts)
{
    atomic_fetch_add_explicit(&page->flows, by_ghosts ? 1 : -1, memory_order_release);
    if (by_ghosts)
        csp_node_ring_ghosts(page);
}

#endif
