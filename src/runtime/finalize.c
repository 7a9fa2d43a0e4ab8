// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Finalize. MPI-4.1 11.4.3 (attributes of MPI_COMM_SELF go first, last set first deleted).
//
//   users                                   ghosts
//   program's MPI_COMM_SELF callbacks       loop
//   report, barrier over the users          loop
//   first user of a node: stop, bell -----> leave the loop, call MPI_Finalize
//   free the pool window, communicators <-> the same
#include "runtime/finalize.h"

#include <execinfo.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/clock.h"
#include "runtime/am.h"
#include "runtime/counters.h"
#include "runtime/ext.h"
#include "runtime/mpi_time.h"
#include "runtime/node.h"
#include "runtime/predict.h"
#include "runtime/peers.h"
#include "runtime/rt.h"

static const uint64_t GRACE_NS = 1000000000;

static int keyval = MPI_KEYVAL_INVALID;
// Not that of a forked child, which may lack the segment: memory that networks registered is not inherited.
static pid_t process;

static void stop_ghosts(void)
{
    if (csp_topo_first_user(csp_rt.topo)[csp_rt.node] != csp_rt.wrank)
        return;
    atomic_store_explicit(&csp_rt.page->stop, 1, memory_order_release);
    csp_node_ring_ghosts(csp_rt.page);
}

static void free_user_side(void)
{
    csp_quirks_yield(csp_rt.yielded);
    csp_roles.user_stop();
    csp_am_settle(); // nobody needs a ghost any more
    csp_am_stop();
    stop_ghosts();
    csp_mpi.Group_free(&csp_rt.user_group);
    csp_mpi.Comm_free(&csp_rt.user_comm);
    csp_mpi.Comm_free(&csp_user_world); // runs the delete callbacks of its attributes
    csp_user_world = MPI_COMM_WORLD;
}

static int at_finalize(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    struct csp_node_proc *me = &csp_node_procs(csp_rt.page)[csp_rt.lrank];
    atomic_store_explicit(&me->phase, CSP_PHASE_END, memory_order_release);
    if (csp_rt.is_ghost) {
        csp_am_stop();
        csp_mpi.Comm_free(&csp_rt.ghost_comm);
    } else {
        free_user_side();
    }
    csp_ext_stop();
    if (csp_rt.pool_win != MPI_WIN_NULL)
        csp_ext_win_free(&csp_rt.pool_win);
    csp_mpi.Group_free(&csp_rt.world_group);
    csp_mpi.Comm_free(&csp_rt.self);
    csp_mpi.Comm_free(&csp_rt.node_comm);
    csp_mpi.Comm_free(&csp_rt.ctl);
    csp_mpi.Comm_free(&csp_rt.world);
    csp_peers_stop();
    csp_counters_stop(); // not active from here on
    csp_mpi_time_stop();
    csp_predict_stop();
    csp_rt.page = NULL;
    if (atomic_load_explicit(&csp_rt.pool_lent, memory_order_relaxed))
        csp_seg_unlink(&csp_rt.pool); // the program may use memory of MPI_Alloc_mem to its end
    else
        csp_seg_detach(&csp_rt.pool);
    csp_rt.pool_bytes = 0;
    return MPI_SUCCESS;
}

// The MPI library ends a process by exit() too (fatal errors, MPI_Abort) and says why itself.
static int library_exits(void)
{
    void *frames[8];
    int n = backtrace(frames, 8);
    for (int i = 0; i < n; i++)
        if (csp_caller_is_mpi(frames[i]))
            return 1;
    return 0;
}

// A user that leaves by exit() without MPI_Finalize would leave the others and the ghosts waiting.
static void at_exit(int status, void *unused)
{
    (void)unused;
    if (!csp_rt.active || csp_rt.is_ghost || getpid() != process)
        return;
    if (csp_rt_is_over()) {
        csp_rt_stop();
        return;
    }
    if (library_exits())
        return;
    // An MPI call may have failed because the job is being ended already, by an MPI_Abort with a code
    // of its own: let that one come first.
    csp_clock_sleep(GRACE_NS);
    csp_error("exit(%d) was called before %s; the job is ended", status,
              csp_rt.open_sessions > 0 ? "MPI_Session_finalize" : "MPI_Finalize");
    csp_rt_die(status ? status : 1);
}

void csp_finalize_arm(void)
{
    int rc = csp_mpi.Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &keyval, NULL);
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    CSP_CHECK(rc == MPI_SUCCESS, "can not hook MPI_Finalize");
    process = getpid();
    on_exit(at_exit, NULL);
}
