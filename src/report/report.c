// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Collects the report: each node's first user sums its node, user rank 0 gathers the nodes.
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/numerals.h"
#include "runtime/node.h"
#include "runtime/rt.h"
#include "runtime/spawn.h"
#include "runtime/wait.h"

const char *const csp_report_ops[CSP_OP_KINDS] = {"PUT", "GET", "ACC", "GET_ACC", "FOP", "CAS"};
const char *const csp_report_routes[CSP_ROUTES] = {"direct", "ghost_node", "ghost_net", "target",
                                                   "none"};
const char *const csp_report_waits[CSP_WAIT_KINDS] = {"flush", "lock", "pscw", "fence"};
const char *const csp_report_reasons[CSP_PLAIN_REASONS] = {
    "create", "dynamic", "allocate_shared", "memory", "foreign_processes", "no_pool_window"};
const char *const csp_report_meta[CSP_META_KINDS] = {"internal_windows", "carriers", "window_bytes",
                                                     "set_bytes", "shared_bytes"};
const char *const csp_report_changed_by[CSP_CHANGE_KINDS] = {"measured", "predicted", "agreed",
                                                             "said", "messages"};
const char *const csp_report_carried[CSP_CARRIED_KINDS] = {"ghost_node", "process", "ghost_net"};
static uint64_t begin_ns;

void csp_report_start(void)
{
    begin_ns = csp_clock_ns();
}

// All counters of csp_stats are of one type: the struct is an array of them.
static void add_stats(struct csp_stats *to, const struct csp_stats *from)
{
    _Atomic uint64_t *a = (_Atomic uint64_t *)to;
    const _Atomic uint64_t *b = (const _Atomic uint64_t *)from;
    for (size_t i = 0; i < sizeof(*to) / sizeof(*a); i++)
        atomic_fetch_add_explicit(&a[i], csp_stats_get(&b[i]), memory_order_relaxed);
}

static uint64_t node_block_bytes(void)
{
    return sizeof(struct csp_report_node) + (uint64_t)csp_rt.page->ng * sizeof(struct csp_stats);
}

// The counters of this node's ghosts as of now; nothing is under way to them.
static void ask_ghosts(void)
{
    struct csp_node_proc *procs = csp_node_procs(csp_rt.page);
    atomic_store_explicit(&csp_rt.page->report, 1, memory_order_relaxed);
    csp_node_ring_ghosts(csp_rt.page);
    for (int g = 0; g < csp_rt.page->ng; g++) {
        struct csp_wait wait;
        csp_wait_begin(&wait, "report: ghost %ld of this node to publish its counters", (long)g);
        while (!atomic_load_explicit(&procs[g].reported, memory_order_acquire))
            csp_wait_turn(&wait);
    }
}

// The block of this node, made by its first user.
static char *sum_node(void)
{
    char *block = calloc(1, node_block_bytes());
    CSP_CHECK(block, "out of memory for the report");
    struct csp_report_node *node = (struct csp_report_node *)block;
    struct csp_stats *ghosts = (struct csp_stats *)(node + 1);
    struct csp_node_proc *procs = csp_node_procs(csp_rt.page);
    uint64_t used;
    ask_ghosts();
    node->node = csp_rt.node;
    node->changes = csp_stats_get(&csp_rt.page->changes.count);
    node->begin_unix_ns = csp_rt.page->changes.begin_unix_ns;
    csp_heap_usage(csp_rt.heap, &used, &node->pool_used_peak_bytes);
    for (int i = 0; i < csp_rt.page->nprocs; i++) {
        if (procs[i].gidx >= 0) {
            add_stats(&ghosts[procs[i].gidx], &procs[i].stats);
        } else {
            add_stats(&node->sum, &procs[i].stats);
            node->users++;
        }
    }
    return block;
}

// The changes that this node kept, for its first user.
static char *node_changes(int *bytes)
{
    const struct csp_changes *c = &csp_rt.page->changes;
    struct csp_report_change *kept = calloc(CSP_CHANGES, sizeof(*kept));
    CSP_CHECK(kept, "out of memory for the report");
    int n = 0;
    for (int i = 0; i < CSP_CHANGES; i++)
        if (atomic_load_explicit(&c->ready[i], memory_order_acquire))
            kept[n++] = (struct csp_report_change){c->change[i], csp_rt.node};
    *bytes = n * (int)sizeof(*kept);
    return (char *)kept;
}

// user rank 0: what all gave, one after the other, *all_bytes; elsewhere NULL. Takes `mine`.
static char *gather(char *mine, int bytes, size_t *all_bytes)
{
    int n = csp_rt.topo->nusers;
    char *all = NULL;
    int *counts = NULL, *displs = NULL;
    if (csp_rt.urank == 0) {
        counts = calloc((size_t)n, sizeof(int));
        displs = calloc((size_t)n, sizeof(int));
        CSP_CHECK(counts && displs, "out of memory for the report");
    }
    csp_mpi.Gather(&bytes, 1, MPI_INT, counts, 1, MPI_INT, 0, csp_rt.user_comm);
    *all_bytes = 0;
    for (int i = 0; counts && displs && i < n; i++) {
        displs[i] = (int)*all_bytes;
        *all_bytes += (size_t)counts[i];
    }
    if (counts) {
        all = malloc(*all_bytes + 1);
        CSP_CHECK(all, "out of memory for the report");
    }
    csp_mpi.Gatherv(mine, bytes, MPI_BYTE, all, counts, displs, MPI_BYTE, 0, csp_rt.user_comm);
    free(mine);
    free(counts);
    free(displs);
    return all;
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = ((const struct csp_report_change *)a)->change.ns;
    uint64_t y = ((const struct csp_report_change *)b)->change.ns;
    return (x > y) - (x < y);
}

static void unpack(char *all, struct csp_report *r, struct csp_report_node *nodes,
                   struct csp_stats *ghosts)
{
    for (int i = 0; i < r->nnodes; i++) {
        struct csp_report_node *node =
            (struct csp_report_node *)(all + (uint64_t)i * node_block_bytes());
        nodes[i] = *node;
        memcpy(&ghosts[i * r->ng], node + 1, (size_t)r->ng * sizeof(*ghosts));
        add_stats(&r->total.sum, &node->sum);
        r->total.users += node->users;
        r->total.changes += node->changes;
        if (node->pool_used_peak_bytes > r->total.pool_used_peak_bytes)
            r->total.pool_used_peak_bytes = node->pool_used_peak_bytes;
    }
}

static void library_line(char *text, size_t bytes)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int len = 0;
    csp_mpi.Get_library_version(version, &len);
    for (char *c = version; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    snprintf(text, bytes, "%s", version);
    text[strcspn(text, "\"\\")] = 0; // it goes into JSON as it is
}

static void write_json(const struct csp_report *r)
{
    char path[4096];
    csp_spawn_file(path, sizeof(path), csp_config.report_file);
    FILE *f = fopen(path, "w"); // too long: an error of its own
    int bad = !f;
    if (f) {
        csp_report_json(f, r);
        bad = ferror(f);
        bad |= fclose(f) != 0;
    }
    if (bad)
        csp_error("the report could not be written to CSP_REPORT_FILE=%s: %s", path,
                  strerror(errno));
}

static void write_all(char *all, struct csp_report_change *changes, size_t nchanges)
{
    struct csp_report r = {
        .nnodes = csp_rt.topo->nnodes, .ng = csp_rt.topo->ng, .nusers = csp_rt.topo->nusers};
    qsort(changes, nchanges, sizeof(*changes), by_time);
    r.changes = changes;
    r.nchanges = (int)nchanges;
    struct csp_report_node *nodes = calloc((size_t)r.nnodes, sizeof(*nodes));
    struct csp_stats *ghosts = calloc((size_t)r.nnodes * (size_t)r.ng, sizeof(*ghosts));
    CSP_CHECK(nodes && ghosts, "out of memory for the report");
    unpack(all, &r, nodes, ghosts);
    r.nodes = nodes;
    r.ghosts = ghosts;
    r.seconds = (double)(csp_clock_ns() - begin_ns) * 1e-9;
    library_line(r.library, sizeof(r.library));
    locale_t before = csp_numerals_begin();
    if (csp_config.report)
        csp_report_text(stderr, &r);
    if (csp_config.report_file[0])
        write_json(&r);
    csp_numerals_end(before);
    free(nodes);
    free(ghosts);
}

void csp_report_write(void)
{
    int want = csp_config.report || csp_config.report_file[0], any = 0;
    csp_mpi.Allreduce(&want, &any, 1, MPI_INT, MPI_MAX, csp_rt.user_comm);
    if (!any)
        return;
    int leads = csp_topo_first_user(csp_rt.topo)[csp_rt.node] == csp_rt.wrank, bytes = 0;
    size_t all_bytes = 0;
    char *all = gather(leads ? sum_node() : NULL, leads ? (int)node_block_bytes() : 0, &all_bytes);
    char *mine = leads ? node_changes(&bytes) : NULL;
    void *changes = gather(mine, bytes, &all_bytes);
    if (csp_rt.urank == 0)
        write_all(all, changes, all_bytes / sizeof(struct csp_report_change));
    free(all);
    free(changes);
}
