// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// CSP_TRACE: the first ghost of a node looks at the counters of all its processes now and then and writes the node's
// timeline (trace/trace.h). Users pay a clock in each MPI call (runtime/mpi_time.h). docs/design/trace.md.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/numerals.h"
#include "ghost/ghost.h"
#include "runtime/node.h"
#include "runtime/rt.h"
#include "runtime/spawn.h"
#include "trace/trace.h"

#define FILE_NAME "casper-%d.trace.json"

static const uint64_t FLUSH_NS = 1000000000; // a job that dies leaves what was seen until then

static struct csp_trace *trace;      // NULL: none
static struct csp_trace_look *looks; // [lrank]
static int changes_seen;
static uint64_t flush_ns;
static char dir[4096], buffer[1 << 20]; // what is not touched takes no memory

static struct csp_trace_look look_at(const struct csp_node_proc *p, uint64_t now_ns)
{
    const struct csp_stats *s = &p->stats;
    struct csp_trace_look look = {0};
    look.mpi_ns = csp_mpi_time_until(&p->mpi_time, now_ns);
    look.busy_ns = csp_stats_get(&p->busy_ns);
    look.waited_ns = csp_mpi_time_until(&p->waiting, now_ns);
    for (int k = 0; k < CSP_OP_KINDS; k++) {
        const _Atomic uint64_t *by = s->op_count[k];
        look.by_direct += csp_stats_get(&by[CSP_ROUTE_DIRECT]);
        look.by_ghost +=
            csp_stats_get(&by[CSP_ROUTE_GHOST_NODE]) + csp_stats_get(&by[CSP_ROUTE_GHOST_NET]);
        look.by_target += csp_stats_get(&by[CSP_ROUTE_TARGET]);
    }
    return look;
}

static void look_at_all(uint64_t now_ns)
{
    const struct csp_node_proc *procs = csp_node_procs(csp_rt.page);
    for (int i = 0; i < csp_rt.page->nprocs; i++)
        looks[i] = look_at(&procs[i], now_ns);
}

static void tell_changes(void)
{
    const struct csp_changes *c = &csp_rt.page->changes;
    while (changes_seen < CSP_CHANGES &&
           atomic_load_explicit(&c->ready[changes_seen], memory_order_acquire))
        csp_trace_change(trace, &c->change[changes_seen++]);
}

void csp_ghost_trace_turn(uint64_t now_ns)
{
    if (!trace || now_ns < csp_trace_due_ns(trace))
        return;
    look_at_all(now_ns);
    csp_trace_step(trace, now_ns, looks);
    tell_changes();
    if (now_ns >= flush_ns) {
        csp_trace_flush(trace);
        flush_ns = now_ns + FLUSH_NS;
    }
}

static void name_file(char *path, size_t bytes, int node)
{
    snprintf(path, bytes, "%s/" FILE_NAME, dir, node);
}

// Of a run with more nodes before this one.
static void remove_old_files(int nnodes)
{
    DIR *d = opendir(dir);
    for (const struct dirent *e; d && (e = readdir(d));) {
        char path[sizeof(dir) + 64];
        int node = -1;
        if (sscanf(e->d_name, FILE_NAME, &node) != 1 || node < nnodes)
            continue;
        name_file(path, sizeof(path), node);
        if (strcmp(path + strlen(dir) + 1, e->d_name) == 0)
            unlink(path);
    }
    if (d)
        closedir(d);
}

static FILE *open_file(void)
{
    char path[sizeof(dir) + 64];
    csp_spawn_file(dir, sizeof(dir), csp_config.trace);
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        csp_error("CSP_TRACE=%s: %s; no trace of node %d", dir, strerror(errno), csp_rt.node);
        return NULL;
    }
    if (csp_rt.node == 0)
        remove_old_files(csp_rt.topo->nnodes);
    name_file(path, sizeof(path), csp_rt.node);
    FILE *f = fopen(path, "w");
    if (f)
        setvbuf(f, buffer, _IOFBF, sizeof(buffer));
    else
        csp_error("%s: %s; no trace of node %d", path, strerror(errno), csp_rt.node);
    return f;
}

void csp_ghost_trace_start(void)
{
    if (!csp_config.trace[0] || csp_rt.gidx != 0)
        return;
    int n = csp_rt.page->nprocs;
    const struct csp_node_proc *procs = csp_node_procs(csp_rt.page);
    FILE *out = open_file();
    struct csp_trace_proc *of = calloc((size_t)n, sizeof(*of));
    looks = calloc((size_t)n, sizeof(*looks));
    CSP_CHECK(of && looks, "out of memory for the trace");
    for (int i = 0; i < n; i++) {
        int is_ghost = procs[i].gidx >= 0;
        of[i] = (struct csp_trace_proc){is_ghost ? procs[i].gidx : procs[i].urank, is_ghost};
    }
    csp_numerals_begin(); // for good: the program does not come back to a ghost
    if (out)
        trace = csp_trace_begin(out, csp_rt.node, of, n, (uint64_t)csp_config.trace_int * 1000,
                                csp_rt.page->changes.begin_ns, csp_clock_ns());
    free(of);
}

static void tell_more_changes(void)
{
    uint64_t all = csp_stats_get(&csp_rt.page->changes.count);
    if (all > CSP_CHANGES)
        csp_trace_more_changes(trace, all - CSP_CHANGES);
}

void csp_ghost_trace_stop(void)
{
    if (trace) {
        uint64_t now_ns = csp_clock_ns();
        look_at_all(now_ns);
        tell_changes();
        tell_more_changes();
        if (csp_trace_end(trace, now_ns, looks) != CSP_OK)
            csp_error("CSP_TRACE=%s: the trace of node %d is not complete: it could not all be "
                      "written (is the disk full?)",
                      dir, csp_rt.node);
    }
    trace = NULL;
    free(looks);
}
