// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// See ghost.h.
#include "ghost/ghost.h"

#include <stdlib.h>
#include "base/clock.h"
#include "base/config.h"
#include "runtime/node.h"
#include "runtime/rt.h"

enum {
    PERIOD_NS = 1000000,
    PERIOD_USER_NS = 20000, // and as much for each user: a clock takes a system call, some 0.3 us
    LEAST = 20, // a user that had less than this part of a core sleeps, or waits in naps
    HOLD_NS =
        5000000, // who computes and waits in turns needs it all the time; clocks may move by ticks
};

// Those whose clocks can be read, if anybody asks.
static struct user {
    clockid_t clock;
    uint64_t cpu_ns;
} *users;
static int count;
static uint64_t looked_ns, compute_until_ns;

void csp_ghost_users_start(void)
{
    const struct csp_node_proc *procs = csp_node_procs(csp_rt.page);
    int first = csp_rt.page->ng, end = csp_rt.page->nprocs;
    if (!csp_rt.crowded || csp_config.ghost_poll == CSP_CONFIG_GHOST_POLL_SPIN)
        return;
    users = calloc((size_t)(end - first), sizeof(*users));
    for (int i = first; users && i < end; i++)
        if (csp_node_sees(&procs[csp_rt.lrank], &procs[i]) &&
            clock_getcpuclockid(procs[i].pid, &users[count].clock) == 0) {
            users[count].cpu_ns = csp_clock_of(users[count].clock);
            count++;
        }
    looked_ns = csp_clock_ns();
}

void csp_ghost_users_stop(void)
{
    free(users);
    users = NULL;
    count = 0;
}

// One for each user that had a part of a core: in so short a time a clock that moves by ticks tells no more.
static int cores_in_use(uint64_t period_ns)
{
    int cores = 0;
    for (int i = 0; i < count; i++) {
        uint64_t before = users[i].cpu_ns;
        users[i].cpu_ns = csp_clock_of(users[i].clock);
        cores += users[i].cpu_ns > before + period_ns / LEAST;
    }
    return cores;
}

int csp_ghost_users_turn(uint64_t now_ns)
{
    uint64_t period_ns = now_ns - looked_ns;
    if (count == 0 || period_ns < PERIOD_NS + (uint64_t)count * PERIOD_USER_NS)
        return 0;
    int cores = cores_in_use(period_ns);
    looked_ns = csp_clock_ns();
    if (cores > 0 && cores + csp_rt.page->ng > csp_rt.cpus)
        compute_until_ns = looked_ns + HOLD_NS;
    return 1;
}

int csp_ghost_users_compute(uint64_t now_ns)
{
    return now_ns < compute_until_ns;
}
