// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/counters.h"

#include <pthread.h>
#include <stddef.h>
#include "runtime/node.h"
#include "runtime/rt.h"

enum whose { MINE, GHOSTS, NODE };

// A sum of counters of struct csp_stats: `n` of them, each `stride` behind the one before.
struct source {
    struct csp_counter told;
    enum whose whose; // NODE: changes of redirection
    size_t first, n, stride;
};

#define FIELD(f) (offsetof(struct csp_stats, f) / sizeof(_Atomic uint64_t))
#define ONE(name, help, unit, whose, f)                                                            \
    {{"casper_" name, help, CSP_COUNTER_##unit}, whose, FIELD(f), 1, 1}
#define OF_KIND(name, kind, help)                                                                  \
    {{"casper_" name "_count", "Operations: " help, CSP_COUNTER_COUNT},                            \
     MINE,                                                                                         \
     FIELD(op_count) + (size_t)CSP_OP_##kind * CSP_ROUTES,                                         \
     CSP_ROUTES,                                                                                   \
     1}
#define BY_ROUTE(name, route, help)                                                                \
    {{"casper_" name "_count", "Operations " help, CSP_COUNTER_COUNT},                             \
     MINE,                                                                                         \
     FIELD(op_count) + CSP_ROUTE_##route,                                                          \
     CSP_OP_KINDS,                                                                                 \
     CSP_ROUTES},                                                                                  \
    {                                                                                              \
        {"casper_" name "_bytes", "Bytes of operations " help, CSP_COUNTER_BYTES}, MINE,           \
            FIELD(op_bytes) + CSP_ROUTE_##route, CSP_OP_KINDS, CSP_ROUTES                          \
    }
#define WAIT(name, kind, help)                                                                     \
    ONE(name "_wait_ns", "Time waited in " help, NS, MINE, wait_ns[CSP_WAIT_##kind]),              \
        ONE(name "_wait_count", "Waits in " help, COUNT, MINE, wait_count[CSP_WAIT_##kind])

static const struct source sources[] = {
    OF_KIND("put", PUT, "MPI_Put, MPI_Rput"),
    OF_KIND("get", GET, "MPI_Get, MPI_Rget"),
    OF_KIND("acc", ACC, "MPI_Accumulate, MPI_Raccumulate"),
    OF_KIND("get_acc", GET_ACC, "MPI_Get_accumulate, MPI_Rget_accumulate"),
    OF_KIND("fop", FOP, "MPI_Fetch_and_op"),
    OF_KIND("cas", CAS, "MPI_Compare_and_swap"),
    BY_ROUTE("direct", DIRECT, "by load and store"),
    BY_ROUTE("ghost_node", GHOST_NODE, "by a ghost of this node"),
    BY_ROUTE("ghost_net", GHOST_NET, "by a ghost of another node"),
    BY_ROUTE("target", TARGET, "by the target itself"),
    BY_ROUTE("none", NONE, "without data"),
    WAIT("flush", FLUSH, "flushes"),
    WAIT("lock", LOCK, "locks"),
    WAIT("pscw", PSCW, "MPI_Win_start, MPI_Win_wait"),
    WAIT("fence", FENCE, "fences"),
    ONE("windows_pool", "Windows with memory from the pool", COUNT, MINE, windows_pool),
    ONE("windows_own", "Windows with a segment of their own", COUNT, MINE, windows_own),
    ONE("windows_soft", "Windows by the software route", COUNT, MINE, windows_soft),
    {{"casper_windows_plain", "Windows left to the MPI library", CSP_COUNTER_COUNT},
     MINE,
     FIELD(windows_plain),
     CSP_PLAIN_REASONS,
     1},
    ONE("ghosts_life_ns", "Life of this node's ghosts, all together", NS, GHOSTS, loop_ns),
    ONE("ghosts_busy_ns", "Of that, turns with work", NS, GHOSTS, busy_ns),
    ONE("ghosts_sleep_ns", "Of that, asleep", NS, GHOSTS, sleep_ns),
    ONE("ghosts_messages_count", "Messages to this node's ghosts", COUNT, GHOSTS, messages),
    {{"casper_changes_count",
      "Changes of redirection, and of who carries messages, that this node noted",
      CSP_COUNTER_COUNT},
     NODE,
     0,
     0,
     0},
};

enum { COUNTERS = sizeof(sources) / sizeof(sources[0]) };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // the segment stays while it is held
static uint64_t last[COUNTERS];

int csp_counters(void)
{
    return COUNTERS;
}

const struct csp_counter *csp_counter_at(int i)
{
    return &sources[i].told;
}

static uint64_t sum(const struct source *s, const struct csp_stats *stats)
{
    const _Atomic uint64_t *all = (const _Atomic uint64_t *)stats;
    uint64_t value = 0;
    for (size_t i = 0; i < s->n; i++)
        value += csp_stats_get(&all[s->first + i * s->stride]);
    return value;
}

static uint64_t look(const struct source *s)
{
    uint64_t value = 0;
    if (s->whose == MINE)
        return sum(s, csp_my_stats);
    if (s->whose == NODE)
        return csp_stats_get(&csp_rt.page->changes.count);
    for (int i = 0; i < csp_rt.page->nprocs; i++)
        if (csp_node_procs(csp_rt.page)[i].gidx >= 0)
            value += sum(s, &csp_node_procs(csp_rt.page)[i].stats);
    return value;
}

uint64_t csp_counter_value(int i)
{
    pthread_mutex_lock(&lock);
    uint64_t value = csp_rt.active ? look(&sources[i]) : last[i];
    pthread_mutex_unlock(&lock);
    return value;
}

void csp_counters_stop(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < COUNTERS; i++)
        last[i] = look(&sources[i]);
    csp_rt.active = 0;
    pthread_mutex_unlock(&lock);
}
