// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The process-wide state of Casper and its life: init, roles, finalize. Set in MPI_Init, constant
// until MPI_Finalize except where said. See src/runtime/README.md.
#ifndef CSP_RUNTIME_RT_H
#define CSP_RUNTIME_RT_H

#include <mpi.h>
#include <pthread.h>
#include "csp_mpi_have.h"
#include "base/config.h"
#include "base/log.h"
#include "runtime/caller.h"
#include "runtime/mpi_table.h"
#include "shm/bell.h"
#include "shm/heap.h"
#include "shm/seg.h"
#include "topo/topo.h"

// What the program sees as MPI_COMM_WORLD; MPI_COMM_WORLD itself while Casper is not active.
extern CSP_INTERNAL MPI_Comm csp_user_world;
#define CSP_COMM(c, ra) ((c) != MPI_COMM_WORLD || csp_caller_is_mpi(ra) ? (c) : csp_user_world)

struct csp_node_page; // head of the pool segment: counters, bells (runtime/node.h)

struct csp_rt {
    int active;        // ghosts exist and this process is a user or a ghost
    int is_ghost;      //
    int wrank, urank;  // urank -1 in a ghost
    int node, lrank;   // node index, rank on the node
    int gidx;          // ghost: index on the node, else -1
    int crowded;       // this machine has more of the job's processes than CPUs for them
    int cpus;          // of these CPUs, this node's share; at least 1
    _Atomic int begun; // csp_rt_start was called
    int session_only;  // MPI was initialised by Casper for MPI_Session_init, not by the program
    _Atomic int user_inited;     // the program called MPI_Init and it returned
    int finalized;               // the program called MPI_Finalize and it returned
    int open_sessions;           // sessions of the program
    int p2p;                     // all processes want ghosts to carry sends and receives
    int yielded;                 // csp_quirks_yield: before Casper changed it
    int spawned;                 // by MPI_Comm_spawn: pid of the first process of this job; or 0
    int thread_level;            // provided
    int threads;                 // in some process of the job several threads may call MPI at once,
    int levels_differ;           // and not in each
    MPI_Comm world;              // internal dup of the real world: collectives of init and finalize
    MPI_Comm ctl;                // control messages
    MPI_Comm node_comm;          // all processes of the node
    MPI_Comm user_comm;          // internal dup of the user world: report, finalize
    MPI_Comm ghost_comm;         // all ghosts, [node * ng + gidx]; MPI_COMM_NULL in a user
    MPI_Comm self;               // internal dup of MPI_COMM_SELF
    MPI_Group world_group;       // of ctl: wranks
    MPI_Group user_group;        // of the user world
    struct csp_seg pool;         // the node's segment
    uint64_t pool_bytes;         // of it: all but the heap of messages
    _Atomic int pool_lent;       // blocks of it that the program has by MPI_Alloc_mem
    struct csp_heap *heap;       // in it
    struct csp_heap *messages;   // in it, behind the pool; NULL if no messages are carried
    struct csp_seg_key pool_key; // to make it larger
    struct csp_node_page *page;
    const struct csp_topo *topo; // in it
    MPI_Win pool_win;   // internal window over everybody, ghosts expose the pool; rank = wrank
    int pool_has_users; // users expose it as well
};
extern struct csp_rt csp_rt;

// What the layers above do in a life; defined in src/wrap/roles.c.
struct csp_roles {
    void (*before)(void);      // any role: the MPI library is about to be initialised
    void (*user_start)(void);  // everything is set up, MPI_Init is about to return
    void (*user_stop)(void);   // MPI_Finalize, all users are here, MPI and ghosts still work
    void (*ghost_start)(void); // install message handlers
    void (*ghost_loop)(void);  // returns when the users are done
};
extern const struct csp_roles csp_roles;

// Hooks for the wrappers. Same meaning as the MPI function; `csp_rt_start` is the common body.
int csp_rt_init(int *argc, char ***argv);
int csp_rt_init_thread(int *argc, char ***argv, int required, int *provided);
int csp_rt_finalize(void);
int csp_rt_initialized(int *flag); // the program's view (Sessions alone do not initialise MPI)
int csp_rt_finalized(int *flag);
enum { CSP_RT_NO_LEVEL = -1 }; // for `required`
/**
 * Makes ghosts and the user world: called by the above and by the first MPI_Session_init (with
 * session_only = 1; it then also calls the real MPI_Init_thread). CSP_RT_NO_LEVEL: as MPI_Init, where variables of
 * the library choose the level. Never returns in a ghost.
 */
int csp_rt_start(int *argc, char ***argv, int required, int *provided, int session_only);
/** Ends the job if it was not called although a tool's MPI_Init, at that address, returned; unless no ghosts are wanted. */
void csp_rt_must_have_begun(const void *tool);
/** Held by whoever may call it: MPI_Init and MPI_Session_init of different threads. */
extern pthread_mutex_t csp_rt_start_lock;
/** A session of the program's. */
void csp_rt_session_begun(void);
/** The library ends with the last one after MPI_Finalize. @return MPI error code. */
int csp_rt_session_ended(void);
/** Last session finalised or exit: undo csp_rt_start for session_only. Idempotent. */
int csp_rt_stop(void);
/** Whether the program has ended what it began of MPI, and the library under its sessions is ours to end. */
static inline int csp_rt_is_over(void)
{
    return csp_rt.session_only && csp_rt.open_sessions == 0 &&
           (!csp_rt.user_inited || csp_rt.finalized);
}
/** Ends the whole job, ghosts included, through the real MPI_Abort; never returns. */
__attribute__((noreturn)) void csp_rt_die(int exit_code);

#endif
