// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// See ghost_users.h.
#include "ghost/ghost_users.h"

#include <stdlib.h>
#include <time.h>
#include "base/clock.h"
#include "base/config.h"
#include "runtime/node.h"
#include "runtime/rt.h"

enum {
    PERIOD_NS = 1000000,
    PERIOD_USER_NS = 20000, // and as much for each user: a clock takes a system call, some 0.3 us
    LEAST = 20, // a user that had less than this part of a core sleeps, or waits in naps
    HOLD_NS =
        5000000, // users that compute and wait in turns need it all the time; clocks may move by ticks only
};

static struct user {
    clockid_t clock;
    uint64_t cpu_ns;
} *users;
static uint64_t looked_ns, compute_until_ns;

static uint64_t read_clock(const struct user *u)
{
    struct timespec t;
    return u->clock && clock_gettime(u->clock, &t) == 0
               ? (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec
               : 0;
}

void csp_ghost_users_start(void)
{
    const struct csp_node_proc *procs = csp_node_procs(csp_rt.page);
    int first = csp_rt.page->ng, count = csp_rt.page->nprocs - first;
    if (!csp_rt.crowded || csp_config.ghost_poll == CSP_CONFIG_GHOST_POLL_SPIN)
        return;
    users = calloc((size_t)count, sizeof(*users));
    for (int i = 0; users && i < count; i++) {
        if (clock_getcpuclockid(procs[first + i].pid, &users[i].clock) != 0)
            users[i].clock = 0;
        users[i].cpu_ns = read_clock(&users[i]);
    }
    looked_ns = csp_clock_ns();
}

void csp_ghost_users_stop(void)
{
    free(users);
    users = NULL;
}

// One for each user that had a part of a core: in so short a time a clock that moves by ticks tells no more.
static uint64_t cores_in_use(uint64_t count, uint64_t period_ns)
{
    uint64_t cores = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t before = users[i].cpu_ns;
        users[i].cpu_ns = read_clock(&users[i]);
        cores += users[i].cpu_ns > before + period_ns / LEAST;
    }
    return cores;
}

int csp_ghost_users_turn(uint64_t now)
{
    const struct csp_node_page *page = csp_rt.page;
    uint64_t count = (uint64_t)(page->nprocs - page->ng), period_ns = now - looked_ns;
    if (!users || period_ns < PERIOD_NS + count * PERIOD_USER_NS)
        return 0;
    uint64_t cores = cores_in_use(count, period_ns);
    looked_ns = csp_clock_ns();
    if (cores > 0 && cores + (uint64_t)page->ng > (uint64_t)csp_rt.cpus)
        compute_until_ns = looked_ns + HOLD_NS;
    return 1;
}

int csp_ghost_users_compute(uint64_t now)
{
    return now < compute_until_ns;
}
