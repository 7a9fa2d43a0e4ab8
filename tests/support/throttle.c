/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright the Casper developers */
/* Preloaded into tests over MPICH 4.0, plain and with ghosts: its ranks spin in every wait, so that more
 * ranks than cores take minutes for what others do in a second. A rank whose UCX gets nowhere many times
 * in a row gives its core away for a moment. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

enum { IDLE_POLLS = 50, PAUSE_NS = 20000 };

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*next)(void *);
    static __thread unsigned idle;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned handled = next(worker);
    idle = handled ? 0 : idle + 1;
    if (idle > IDLE_POLLS) {
        const struct timespec pause = {.tv_nsec = PAUSE_NS};
        nanosleep(&pause, NULL);
    }
    return handled;
}
