// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Who of this node is still alive: every process watches the others through pidfds, so that the
// death of a ghost, or of a user that never calls MPI_Finalize, ends the job with a line that names
// it.
#include "runtime/peers.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/clock.h"
#include "runtime/node.h"
#include "runtime/rt.h"

static const uint64_t PERIOD_NS = 50000000; // between two looks
static const uint64_t GRACE_NS = 1000000000;
// If a launcher ended the other process, it ends this one, too, within so long.
static const uint64_t KILL_NS = 200000000;

// From a signal that asks the job to end to the end of a user by it, and from that to the end of all users of the node.
static const uint64_t TOLD_NS = 60000000000;

static _Atomic int told_by; // signal; 0: none
static _Atomic uint64_t told_ns;
static const struct csp_node_proc *went; // the first one that ended after that
static uint64_t went_ns;
static struct pollfd *fds; // [lrank]; fd -1: not watched
static _Atomic uint64_t next_ns;
static pthread_mutex_t look_lock = PTHREAD_MUTEX_INITIALIZER;

int csp_peers_open(int pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    return -1;
#endif
}

void csp_peers_start(void)
{
    struct csp_node_proc *procs = csp_node_procs(csp_rt.page);
    fds = calloc((size_t)csp_rt.page->nprocs, sizeof(*fds));
    if (!fds)
        return; // the job runs, only less is said when a process dies
    for (int i = 0; i < csp_rt.page->nprocs; i++) {
        int watch = i != csp_rt.lrank && (csp_rt.is_ghost || procs[i].gidx >= 0) &&
                    csp_node_sees(&procs[csp_rt.lrank], &procs[i]);
        fds[i] = (struct pollfd){.fd = watch ? csp_peers_open(procs[i].pid) : -1, .events = POLLIN};
    }
    atomic_store_explicit(&next_ns, csp_clock_ns() + PERIOD_NS, memory_order_relaxed);
}

void csp_peers_stop(void)
{
    for (int i = 0; fds && i < csp_rt.page->nprocs; i++)
        if (fds[i].fd >= 0)
            close(fds[i].fd);
    free(fds);
    fds = NULL;
}

void csp_peers_abort(void)
{
    if (csp_rt.page)
        atomic_store_explicit(&csp_node_procs(csp_rt.page)[csp_rt.lrank].phase, CSP_PHASE_ABORT,
                              memory_order_release);
}

void csp_peers_tell(int signal)
{
    atomic_store_explicit(&told_ns, csp_clock_ns(), memory_order_relaxed);
    atomic_store_explicit(&told_by, signal, memory_order_release);
}

static void tell_death(const struct csp_node_proc *p, unsigned phase)
{
    if (phase == CSP_PHASE_ABORT) {
        csp_error("rank %d of the real world (pid %d, node %d) has called MPI_Abort, but the job "
                  "goes on; it is ended",
                  p->wrank, p->pid, csp_rt.node);
    } else if (p->gidx >= 0) {
        csp_error("ghost %d of node %d (rank %d of the real world, pid %d) has died; "
                  "the job can not go on and is ended",
                  p->gidx, csp_rt.node, p->wrank, p->pid);
    } else {
        csp_error("user rank %d (pid %d, node %d) has ended without MPI_Finalize; the job is ended",
                  p->urank, p->pid, csp_rt.node);
    }
    csp_rt_die(1);
}

// `since` is read before the clock: one that a signal's handler sets in between can not lie ahead of it.
static uint64_t age_ns(uint64_t since)
{
    return csp_clock_ns() - since;
}

static int users_left(void)
{
    for (int i = csp_rt.page->ng; i < csp_rt.page->nprocs; i++)
        if (fds[i].fd >= 0)
            return 1;
    return 0;
}

static void go(int by)
{
    signal(by, SIG_DFL);
    raise(by);
}

// A ghost, as users do that the signal ends: without a word, but not while one of them still does what it has to do before.
static void go_with_users(const struct csp_node_proc *p, int by)
{
    went_ns = went ? went_ns : csp_clock_ns();
    went = went ? went : p;
    if (!users_left())
        go(by);
}

// The signal, if it was not long ago; else 0.
static int told_lately(void)
{
    int by = atomic_load_explicit(&told_by, memory_order_acquire);
    return age_ns(atomic_load_explicit(&told_ns, memory_order_relaxed)) < TOLD_NS ? by : 0;
}

static void note_end(const struct csp_node_proc *p, unsigned phase)
{
    if (!told_lately())
        csp_clock_sleep(phase == CSP_PHASE_ABORT ? GRACE_NS : KILL_NS);
    int by = told_lately();
    if (by && phase == CSP_PHASE_ABORT)
        go(by); // the launcher is ending the job
    if (by)
        go_with_users(p, by);
    else
        tell_death(p, phase);
}

// Caller holds look_lock.
static void look(int wait_ms)
{
    if (poll(fds, (nfds_t)csp_rt.page->nprocs, wait_ms) <= 0)
        return;
    struct csp_node_proc *procs = csp_node_procs(csp_rt.page);
    for (int i = 0; i < csp_rt.page->nprocs; i++) {
        if (!(fds[i].revents & POLLIN))
            continue;
        close(fds[i].fd);
        fds[i].fd = -1;
        unsigned phase = atomic_load_explicit(&procs[i].phase, memory_order_acquire);
        if (phase != CSP_PHASE_END)
            note_end(&procs[i], phase);
    }
}

void csp_peers_check(uint64_t now)
{
    if (!fds || now < atomic_load_explicit(&next_ns, memory_order_relaxed) ||
        pthread_mutex_trylock(&look_lock) != 0)
        return;
    atomic_store_explicit(&next_ns, now + PERIOD_NS, memory_order_relaxed);
    look(0);
    if (went && age_ns(went_ns) > TOLD_NS)
        tell_death(went, CSP_PHASE_RUN);
    pthread_mutex_unlock(&look_lock);
}

void csp_peers_lost(void)
{
    uint64_t now = csp_clock_ns(), end = now + GRACE_NS;
    pthread_mutex_lock(&look_lock);
    for (; fds && now < end; now = csp_clock_ns())
        look((int)((end - now) / 1000000) + 1);
    pthread_mutex_unlock(&look_lock);
}
