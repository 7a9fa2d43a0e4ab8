// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Counters of one process, kept in the node segment so that ghosts and the report can read them.
// The owner alone writes; with MPI_THREAD_MULTIPLE several of its threads do.
#ifndef CSP_RUNTIME_STATS_H
#define CSP_RUNTIME_STATS_H

#include <stdatomic.h>
#include <stdint.h>

enum csp_op_kind {
    CSP_OP_PUT,
    CSP_OP_GET,
    CSP_OP_ACC,
    CSP_OP_GET_ACC,
    CSP_OP_FOP,
    CSP_OP_CAS,
    CSP_OP_KINDS
};

enum csp_route {
    CSP_ROUTE_DIRECT,     // load/store into the target's memory on this node
    CSP_ROUTE_GHOST_NODE, // a ghost of this node
    CSP_ROUTE_GHOST_NET,  // a ghost of another node
    CSP_ROUTE_TARGET,     // the target itself: redirection is off
    CSP_ROUTE_NONE,       // no data: MPI_PROC_NULL, zero counts
    CSP_ROUTES
};

enum csp_wait_kind { CSP_WAIT_FLUSH, CSP_WAIT_LOCK, CSP_WAIT_PSCW, CSP_WAIT_FENCE, CSP_WAIT_KINDS };

// Why a window was left to the MPI library.
enum csp_plain_reason {
    CSP_PLAIN_CREATE,  // MPI_Win_create: memory that ghosts cannot reach, or as configured
    CSP_PLAIN_DYNAMIC, // MPI_Win_create_dynamic: likewise
    CSP_PLAIN_SHARED,  // MPI_Win_allocate_shared: load/store needs no progress
    CSP_PLAIN_MEMORY,  // no memory for the segment
    CSP_PLAIN_FOREIGN, // a communicator with processes outside this job's world
    CSP_PLAIN_LIBRARY, // the MPI library can not create the pool window
    CSP_PLAIN_REASONS
};

// What Casper keeps for windows (runtime/meta.h).
enum csp_meta_kind {
    CSP_META_INTERNAL, // windows of the MPI library over users and ghosts
    CSP_META_CARRIERS, // windows of the MPI library on MPI_COMM_SELF: the program's handles
    CSP_META_WINDOW,   // bytes of this process for windows
    CSP_META_SET,      // bytes of this process for communicators and sets of processes
    CSP_META_SHARED,   // bytes that this process, a leader, holds in its node's segment for windows
    CSP_META_KINDS
};

// How a message that ghosts carry came to its receiver.
enum csp_carried {
    CSP_CARRIED_NODE,   // from the same node, by a ghost
    CSP_CARRIED_DIRECT, // likewise, but a process that waited for it copied the data
    CSP_CARRIED_NET,    // from another node
    CSP_CARRIED_KINDS
};

struct csp_stats {
    _Atomic uint64_t op_count[CSP_OP_KINDS][CSP_ROUTES];
    _Atomic uint64_t op_bytes[CSP_OP_KINDS][CSP_ROUTES];
    _Atomic uint64_t wait_ns[CSP_WAIT_KINDS];
    _Atomic uint64_t wait_count[CSP_WAIT_KINDS];
    _Atomic uint64_t windows_pool, windows_own, windows_soft; // redirected windows
    _Atomic uint64_t windows_plain[CSP_PLAIN_REASONS];
    _Atomic uint64_t meta_peak[CSP_META_KINDS]; // the most at a time
    // ghosts
    _Atomic uint64_t loop_ns, busy_ns, sleep_ns,
        cpu_ns; // life of the loop, handling, asleep, on a core
    _Atomic uint64_t polls, busy_polls, messages;
    _Atomic uint64_t carried_count[CSP_CARRIED_KINDS],
        carried_bytes[CSP_CARRIED_KINDS]; // by the receiver's
};

// One writer at a time is the common case; with several threads the sum must still be exact.
extern int csp_stats_threads; // 1 when the program may call MPI from several threads at once

extern struct csp_stats *csp_my_stats; // this process's block in the node segment

static inline uint64_t csp_stats_get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static inline void csp_stats_add(_Atomic uint64_t *counter, uint64_t n)
{
    if (csp_stats_threads)
        atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
    else
        atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                              memory_order_relaxed);
}

#endif
