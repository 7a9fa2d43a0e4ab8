// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Process-wide state and the hooks of MPI_Init, MPI_Finalize and their queries.
#include "runtime/rt.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "runtime/detours.h"
#include "runtime/peers.h"
#include "runtime/self_attrs.h"
#include "runtime/stats.h"

struct csp_rt csp_rt = {.urank = -1, .gidx = -1};
MPI_Comm csp_user_world = MPI_COMM_WORLD;
_Atomic unsigned csp_detours;
int csp_stats_threads;
struct csp_stats *csp_my_stats;
pthread_mutex_t csp_rt_start_lock = PTHREAD_MUTEX_INITIALIZER;
// Which of MPI_Finalize and the last session ends the library.
static pthread_mutex_t ends = PTHREAD_MUTEX_INITIALIZER;

// The launcher may end as soon as it hears of the abort, and what it has not read by then is lost: waits,
// a second at most, until it has taken our last words from the pipe.
static void await_reader(int fd)
{
    struct stat is;
    int left = 0;
    if (fstat(fd, &is) != 0 || !S_ISFIFO(is.st_mode))
        return;
    for (int ms = 0; ms < 1000 && ioctl(fd, FIONREAD, &left) == 0 && left > 0; ms++)
        csp_clock_sleep(1000000);
}

// All of them, unless a thread waits for input: it holds the lock of standard input meanwhile.
static void flush_streams(void)
{
    if (ftrylockfile(stdin) == 0) {
        funlockfile(stdin);
        fflush(NULL);
    } else {
        fflush(stdout);
        fflush(stderr);
    }
}

void csp_rt_die(int exit_code)
{
    int inited = 0, done = 0;
    csp_mpi.Initialized(&inited);
    csp_mpi.Finalized(&done);
    flush_streams();
    await_reader(STDOUT_FILENO);
    await_reader(STDERR_FILENO);
    csp_peers_abort();
    if (inited && !done)
        csp_mpi.Abort(MPI_COMM_WORLD, exit_code);
    _exit(exit_code);
}

int csp_rt_init_thread(int *argc, char ***argv, int required, int *provided)
{
    int rc = MPI_SUCCESS;
    pthread_mutex_lock(&csp_rt_start_lock);
    if (csp_rt.session_only && !csp_rt.user_inited)
        *provided = csp_rt.thread_level; // a session was first: the library is initialised already
    else
        rc = csp_rt_start(argc, argv, required, provided, 0);
    if (rc == MPI_SUCCESS)
        csp_rt.user_inited = 1;
    pthread_mutex_unlock(&csp_rt_start_lock);
    return rc;
}

int csp_rt_init(int *argc, char ***argv)
{
    int provided = MPI_THREAD_SINGLE;
    return csp_rt_init_thread(argc, argv, CSP_RT_NO_LEVEL, &provided);
}

// What keeps the library alive beside the program's sessions: ghosts end with it. Without them it ends by itself.
static int is_kept(void)
{
    return csp_rt.active && csp_rt.open_sessions > 0;
}

// MPI_Finalize but for the library's own part, which is left to the last session if one is open: 1.
static int leave_to_session(void)
{
    pthread_mutex_lock(&ends);
    int kept = is_kept();
    csp_rt.finalized |= kept;
    pthread_mutex_unlock(&ends);
    return kept;
}

// Casper's own end is an attribute of MPI_COMM_SELF (see finalize.c): the library calls it. The program's go first, and may end
// sessions.
int csp_rt_finalize(void)
{
    int rc = is_kept() ? csp_self_attrs_delete() : MPI_SUCCESS;
    if (rc != MPI_SUCCESS || leave_to_session())
        return rc;
    rc = csp_mpi.Finalize();
    csp_rt.finalized = rc == MPI_SUCCESS;
    return rc;
}

void csp_rt_session_begun(void)
{
    pthread_mutex_lock(&ends);
    csp_rt.open_sessions++;
    pthread_mutex_unlock(&ends);
}

int csp_rt_session_ended(void)
{
    pthread_mutex_lock(&ends);
    int last = --csp_rt.open_sessions == 0 && csp_rt.finalized;
    pthread_mutex_unlock(&ends);
    return last ? csp_rt_stop() : MPI_SUCCESS;
}

int csp_rt_stop(void)
{
    int done = 0;
    csp_mpi.Finalized(&done);
    return done ? MPI_SUCCESS : csp_mpi.Finalize();
}

// Before MPI_Init returns other threads, and those of a ghost for good, have the real MPI_COMM_WORLD.
int csp_rt_initialized(int *flag)
{
    if (!csp_rt.begun)
        return csp_mpi.Initialized(flag);
    *flag = csp_rt.user_inited;
    return MPI_SUCCESS;
}

int csp_rt_finalized(int *flag)
{
    if (!csp_rt.session_only && !csp_rt.finalized) // an open session may keep the library alive
        return csp_mpi.Finalized(flag);
    *flag = csp_rt.finalized;
    return MPI_SUCCESS;
}
