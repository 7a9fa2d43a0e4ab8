/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright the Casper developers */
/* Preloaded into tests, plain and with ghosts, where ranks are more than cores.
 * MPICH 4.0: its ranks spin in every wait, and take minutes for what others do in a second. A rank whose UCX gets
 * nowhere many times in a row gives its core away for a moment.
 * Open MPI: its ranks yield in every wait, thousands of times in a millisecond. Linux 6.18 charges a slice for each,
 * and now and then lets nobody else run for up to a minute after it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <time.h>

enum { IDLE_POLLS = 50, IDLE_YIELDS = 10, PAUSE_NS = 20000 };

static void pause_if(int so_often)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    if (so_often)
        nanosleep(&pause, NULL);
}

int sched_yield(void)
{
    static int (*next)(void);
    static __thread unsigned idle;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "sched_yield");
    idle = (idle + 1) % IDLE_YIELDS;
    pause_if(idle == 0);
    return next();
}

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*next)(void *);
    static __thread unsigned idle;
    if (!next) // loaded by a module of Python's, it is in nobody's sight but that module's
        *(void **)&next =
            dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");
    const unsigned handled = next(worker);
    idle = handled ? 0 : idle + 1;
    pause_if(idle > IDLE_POLLS);
    return handled;
}
