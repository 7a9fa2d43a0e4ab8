// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Faults of MPI libraries that Casper must work around, found by what the library says of itself.
// Set in MPI_Init, constant afterwards.
#ifndef CSP_RUNTIME_QUIRKS_H
#define CSP_RUNTIME_QUIRKS_H

#include <mpi.h>

struct csp_quirks {
    // MPI_Win_flush returns before PUTs up to this size are in the target's memory; 0: it waits as
    // it must. Seen with MPICH 5.0.2 over libfabric (tcp provider): PUTs up to 64 bytes are
    // injected.
    long weak_put_bytes;
    // MPI_Win_create refuses MPI_COMM_SELF, MPI_Win_allocate does not (Open MPI 4.1: osc/pt2pt under
    // MPI_THREAD_MULTIPLE; always where osc/pt2pt is left out, as by Debian's openmpi-mca-params.conf).
    int create_refused;
    // If only some processes have MPI_THREAD_MULTIPLE, MPI_Win_create between nodes fails in those, and the others wait
    // for them for ever (the same).
    int create_hangs;
    // The request of an operation is complete too early if the data of one side are not one run of
    // bytes: results are not there yet, the origin's data not yet sent (MPICH 4.0.2, 5.0.2;
    // rma/request_types).
    int early_requests;
    // MPI_Win_flush_local may not return when operations of an epoch go to ghosts and users in turns
    // (Open MPI 4.1, osc/pt2pt; casper/auto_switch).
    int fixed_routes;
    // The first operation that is a message to its target enters it in the window's table of targets, which is made then
    // and moves as it grows, while other threads look into it without a lock: a crash (MPICH 5.0.2; rma/threads_first).
    // MPI_Win_lock enters a target, too: 88 bytes each.
    int targets_race;
    // PUT and GET between nodes take some us for each run of bytes (Open MPI 5, osc/rdma: a subarray of 256 KB in 1024 runs
    // 3.7 ms, by ghosts in messages 0.2 to 0.5).
    int runs_slow;
    // Whether accumulates of windows over several nodes are better executed by Casper (rma_soft.c). All processes have
    // the same.
    enum csp_soft_acc {
        CSP_SOFT_ACC_NEVER,
        // While redirection is on, unless several ghosts shall execute those on the memory of one target. Faster over
        // MPICH, most of all inside a node.
        CSP_SOFT_ACC_REDIRECTED,
        // Open MPI makes lock, get, put and unlock of each, by messages (osc/rdma: a strided ACC of 64 KB 23 ms,
        // ours 0.9), and some come out wrong (4.1, 5.0; rma/acc_logical on two nodes).
        CSP_SOFT_ACC_ALWAYS
    } soft_acc;
};
extern struct csp_quirks csp_quirks;

void csp_quirks_detect(void);

/** What the MPI library does with the whole real world later on, done now. All processes. */
void csp_quirks_join(void);

/** Looks for the faults that only a try tells. Users. */
void csp_quirks_try(void);

/** Open MPI: the number of processes that MPI_INFO_ENV, or a new info like it, tells counts ghosts; from now on it does not. Users. */
void csp_quirks_env(MPI_Info env);

/**
 * Open MPI: whether this process gives up its core from now on while it waits in the MPI library. Changed only in users
 * with CSP_YIELD=start and in ghosts without CSP_GHOST_POLL=spin; nothing else changes it after MPI_Init.
 * @return whether it did until now; `yes` where nothing is changed.
 */
int csp_quirks_yield(int yes);

#endif
