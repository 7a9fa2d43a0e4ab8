// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Init: real init, node split, roles, the node's segment, the user world, internal
// communicators and the pool window. Collective over the real world; every process runs it up to
// the point where ghosts enter their loop. TPDS 3.1, design of the runtime: docs/design/runtime.md.
//
//   every process                                                 node's lrank 0
//   real MPI_Init_thread
//   read CSP_*, agree on those that must be the same (else: message, end)
//   split by node, number the nodes      (too few: one line, transparent)
//   attach the node's segment      <---- key ---------------------- create it, lay it out
//   user world, internal communicators, pool window, lock_all
//   ghost: loop until stop          user: return to the program
#include "runtime/rt.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/am.h"
#include "runtime/finalize.h"
#include "runtime/init.h"
#include "runtime/libcheck.h"
#include "runtime/mpi_time.h"
#include "runtime/node.h"
#include "runtime/peers.h"
#include "runtime/predict.h"
#include "runtime/quirks.h"
#include "runtime/spawn.h"
#include "runtime/stdin.h"
#include "topo/place.h"

extern char **environ;

// Ghosts that this process's environment asks for.
static int wanted(void)
{
    return (int)(csp_rt.spawned ? csp_config.spawn_ng : csp_config.ng);
}

// Says once per job why Casper stands aside; the program runs as without it. Under CSP_STRICT (the
// launcher sets it: it has started ranks for the ghosts, and for no spawned job) it must not.
static void stand_aside(const char *why)
{
    if (csp_config.strict && !csp_rt.spawned && csp_config.ng > 0) {
        if (csp_rt.wrank == 0) {
            csp_error("Casper can not be active: %s", why);
            csp_rt_die(1);
        }
        for (;;)
            pause(); // rank 0 ends the job
    }
    if (csp_rt.wrank == 0)
        csp_warn("not active: %s; the program runs on plain MPI", why);
}

// Ends the job for a reason that all processes see: rank 0 says it, the others wait for the end.
__attribute__((noreturn, format(printf, 1, 2))) static void refuse(const char *fmt, ...)
{
    while (csp_rt.wrank > 0)
        pause();
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    csp_error("%s", text);
    csp_rt_die(1);
}

// Every MPI failure in init ends the job: nothing is half set up.
void csp_init_must(int rc, const char *what)
{
    if (rc == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int len = 0;
    csp_mpi.Error_string(rc, text, &len);
    csp_error("initialisation: %s failed: %s", what, text);
    csp_rt_die(1);
}

static void must_be_same(unsigned i, int64_t least, int64_t most)
{
    char from[32], to[32];
    if (least == most)
        return;
    csp_config_same_format(i, least, from, sizeof(from));
    const char *name = csp_config_same_format(i, most, to, sizeof(to));
    refuse("%s differs between processes (from %s to %s): set it for all of them; `casper run` "
           "passes it on",
           name, from, to);
}

// The number of ghosts that everybody agrees on. Where there are to be any, the other variables must agree too. Thread levels need
// not, but all know of the highest.
static int agree(void)
{
    enum { N = CSP_CONFIG_SAMES, GHOSTS = N, THREADS, ALL };
    int ng = wanted();
    int64_t mine[ALL], both[2 * ALL], most[2 * ALL]; // of each the most, and the least negated
    for (unsigned i = 0; i < N; i++)
        mine[i] = csp_config_same(i);
    mine[GHOSTS] = ng;
    mine[THREADS] = csp_rt.thread_level == MPI_THREAD_MULTIPLE;
    for (unsigned i = 0; i < ALL; i++) {
        both[2 * i] = mine[i];
        both[2 * i + 1] = -mine[i];
    }
    csp_init_must(csp_mpi.Allreduce(both, most, 2 * ALL, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD),
                  "MPI_Allreduce");
    csp_rt.threads = most[2 * THREADS] > 0;
    csp_rt.levels_differ = most[2 * THREADS] != -most[2 * THREADS + 1];
    for (unsigned i = 0; i < N && most[2 * GHOSTS] > 0; i++)
        must_be_same(i, -most[2 * i + 1], most[2 * i]);
    return csp_rt.spawned ? csp_spawn_announce(ng) : ng;
}

// Dense node numbers in the order of the nodes' lowest ranks. @return number of nodes.
static int number_nodes(int *node_of_wrank, int nranks)
{
    int leader = csp_rt.wrank, nnodes = 0;
    csp_init_must(csp_mpi.Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, csp_rt.wrank,
                                          MPI_INFO_NULL, &csp_rt.node_comm),
                  "MPI_Comm_split_type");
    csp_mpi.Comm_rank(csp_rt.node_comm, &csp_rt.lrank);
    csp_init_must(csp_mpi.Bcast(&leader, 1, MPI_INT, 0, csp_rt.node_comm), "MPI_Bcast");
    csp_init_must(csp_mpi.Allgather(&leader, 1, MPI_INT, node_of_wrank, 1, MPI_INT, MPI_COMM_WORLD),
                  "MPI_Allgather");
    for (int i = 0; i < nranks; i++) // a leader comes before the others of its node
        node_of_wrank[i] = node_of_wrank[i] == i ? nnodes++ : node_of_wrank[node_of_wrank[i]];
    csp_rt.node = node_of_wrank[csp_rt.wrank];
    return nnodes;
}

// @return 1 if every node has more ranks than ghosts; 0: stand aside. Ends the job for more ghosts
// than ranks.
static int enough_ranks(const int *node_of_wrank, int nranks, int nnodes, int ng)
{
    int *size = calloc((size_t)nranks, sizeof(*size)); // at most as many nodes
    int enough = 1;
    CSP_CHECK(size, "out of memory in MPI_Init");
    for (int i = 0; i < nranks; i++)
        size[node_of_wrank[i]]++;
    for (int i = 0; i < nnodes && enough; i++) {
        if (size[i] < ng && size[i] > 1)
            refuse("CSP_NG=%d asks for more ghosts than node %d has ranks (%d): start more ranks "
                   "per node or lower CSP_NG; `casper run -n USERS -g GHOSTS` counts for you",
                   ng, i, size[i]);
        enough = size[i] > ng;
    }
    free(size);
    return enough;
}

// The MPI library's launcher may have put the ranks on other nodes, each of which takes its ghosts.
static void check_users(int users, int nnodes)
{
    if (csp_config.users != 0 && csp_config.users != users && !csp_rt.spawned)
        refuse("CSP_USERS=%d, but there are %d users on %d nodes: ranks were not placed as `casper "
               "run` counted them (a host file or a batch system that it does not know?); name the "
               "nodes: --hosts",
               (int)csp_config.users, users, nnodes);
}

static void *must_calloc(size_t n, size_t bytes)
{
    void *p = calloc(n, bytes);
    CSP_CHECK(p, "out of memory in MPI_Init");
    return p;
}

static struct csp_topo *make_topo(int nranks, int ng)
{
    int *node_of_wrank = must_calloc((size_t)nranks, sizeof(int));
    int nnodes = number_nodes(node_of_wrank, nranks);
    struct csp_topo *topo = NULL;
    if (enough_ranks(node_of_wrank, nranks, nnodes, ng)) {
        check_users(nranks - nnodes * ng, nnodes);
        topo = must_calloc(1, csp_topo_bytes(nranks, nnodes, ng));
        enum csp_status s = csp_topo_build(node_of_wrank, nranks, nnodes, ng, topo);
        CSP_CHECK(s == CSP_OK, "node map: %s", csp_status_string(s));
    }
    free(node_of_wrank);
    return topo;
}

static void set_role(const struct csp_topo *topo, int ng)
{
    char who[64];
    csp_rt.urank = csp_topo_urank_of_wrank(topo)[csp_rt.wrank];
    csp_rt.is_ghost = csp_rt.urank < 0;
    csp_rt.gidx = csp_rt.is_ghost ? csp_rt.lrank : -1;
    if (csp_rt.is_ghost)
        snprintf(who, sizeof(who), "ghost %d on node %d", csp_rt.gidx, csp_rt.node);
    else
        snprintf(who, sizeof(who), "user rank %d", csp_rt.urank);
    csp_log_set_who(who);
    if (!csp_rt.is_ghost || csp_config.bind != CSP_CONFIG_BIND_AUTO)
        return;
    char text[96] = "";
    enum csp_status s = csp_place_ghost(csp_rt.gidx, ng, text, sizeof(text));
    csp_info("placement: %s (%s)", text, csp_status_string(s));
}

// Ghosts never leave this function.
static void run_ghost(void)
{
    csp_spawn_part();
    csp_rt.yielded = csp_quirks_yield(0);
    csp_roles.ghost_loop();
    csp_quirks_yield(csp_rt.yielded);
    csp_init_must(csp_mpi.Finalize(), "MPI_Finalize of a ghost");
    exit(0);
}

// Registered before the MPI library's own exit handlers (MPICH 5 leaves the process manager in
// one), so it runs after them and keeps a ghost from those of the program, which belong to its
// users.
static void end_ghost(int status, void *unused)
{
    (void)unused;
    if (!csp_rt.is_ghost)
        return;
    fflush(NULL);
    _exit(status);
}

// Everything is agreed: build it.
static void activate(struct csp_topo *topo, int ng)
{
    csp_init_crowded();
    set_role(topo, ng);
    csp_quirks_detect();
    if (!csp_init_segment(topo)) {
        csp_log_set_who("");
        stand_aside("the processes of a node could not map a common memory segment (memfd and "
                    "/dev/shm were both refused); see `casper check`");
        csp_mpi.Comm_free(&csp_rt.node_comm);
        csp_rt.is_ghost = 0;
        csp_rt.urank = csp_rt.gidx = -1;
        return;
    }
    csp_init_world();
    csp_quirks_join();
    if (!csp_rt.is_ghost)
        csp_quirks_try();
    csp_init_windows();
    csp_predict_start();
    csp_rt.active = 1;
    csp_stats_threads = csp_rt.thread_level == MPI_THREAD_MULTIPLE;
    csp_peers_start();
    csp_finalize_arm();
    (csp_rt.is_ghost ? csp_roles.ghost_start : csp_roles.user_start)();
    csp_init_must(csp_mpi.Barrier(csp_rt.world), "MPI_Barrier"); // all can receive messages now
    csp_stdin_pass();
    struct csp_node_proc *me = &csp_node_procs(csp_rt.page)[csp_rt.lrank];
    atomic_store_explicit(&me->phase, CSP_PHASE_RUN, memory_order_release);
    if (csp_rt.is_ghost)
        run_ghost();
    csp_quirks_env(MPI_INFO_ENV);
    csp_rt.yielded = csp_quirks_yield(0);
    if (csp_predict_used() || csp_config.trace[0])
        csp_mpi_time_start(&me->mpi_time, csp_config.trace[0] ? &me->waiting : NULL);
}

// Every process reads its own environment; the lowest one that finds it bad speaks and ends the
// job.
static void load_config(void)
{
    int none = INT_MAX, first;
    int mine = csp_config_load(environ, 0) == CSP_OK ? none : csp_rt.wrank;
    csp_init_must(csp_mpi.Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD),
                  "MPI_Allreduce");
    if (first == none)
        return;
    if (first == csp_rt.wrank && csp_config_load(environ, 1) != CSP_OK) {
        csp_error("the environment has bad CSP_* variables (named above); `casper config` lists "
                  "them all");
        csp_rt_die(1);
    }
    for (;;)
        pause();
}

static int init_library(int *argc, char ***argv, int required, int *provided)
{
    if (required != CSP_RT_NO_LEVEL)
        return csp_mpi.Init_thread(argc, argv, required, provided);
    int rc = csp_mpi.Init(argc, argv);
    return rc == MPI_SUCCESS ? csp_mpi.Query_thread(provided) : rc;
}

// A failed check of one process ends the others as well.
static void end_job(void)
{
    csp_rt_die(1);
}

// A program that takes MPI's functions from a handle of its library (dlopen, dlsym) goes past Casper: all ranks are its own.
__attribute__((destructor)) static void tell_bypassed(void)
{
    int inited = 0;
    if (csp_rt.begun || !getenv("CSP_NG") || !csp_mpi_load())
        return;
    csp_mpi.Initialized(&inited);
    if (inited)
        csp_warn(
            "not active: the program took MPI_Init from a handle of the MPI library (dlopen), past "
            "Casper, so ranks meant as ghosts ran the program; let it load this libcasper as its "
            "MPI library");
}

void csp_rt_must_have_begun(const void *tool)
{
    Dl_info info = {0};
    int nranks = 1;
    if (csp_rt.begun || csp_config_load(environ, 0) != CSP_OK || csp_config.ng == 0)
        return;
    if (csp_mpi.Comm_size(MPI_COMM_WORLD, &nranks) != MPI_SUCCESS || nranks == 1)
        return;
    dladdr(tool, &info);
    csp_error(
        "the tool %s called MPI_Init of the MPI library past Casper, and ghosts would run the "
        "program; name it before libcasper in LD_PRELOAD, as casper run --env "
        "LD_PRELOAD=... does",
        info.dli_fname ? info.dli_fname : "behind libcasper");
    csp_rt_die(1);
}

int csp_rt_start(int *argc, char ***argv, int required, int *provided, int session_only)
{
    int nranks = 1;
    csp_rt.begun = 1;
    csp_libcheck();
    csp_init_check_room();
    on_exit(end_ghost, NULL);
    csp_roles.before();
    int rc = init_library(argc, argv, required, provided);
    if (rc != MPI_SUCCESS)
        return rc;
    csp_log_die_hook = end_job;
    csp_rt.thread_level = *provided;
    csp_rt.session_only = session_only;
    csp_mpi.Comm_rank(MPI_COMM_WORLD, &csp_rt.wrank);
    csp_mpi.Comm_size(MPI_COMM_WORLD, &nranks);
    load_config();
    csp_spawn_detect();
    if (nranks == 1) {
        if (csp_rt.spawned)
            csp_spawn_announce(0);
        if (wanted() > 0 || !(csp_rt.spawned || session_only))
            stand_aside("the job has a single process");
        return MPI_SUCCESS;
    }
    int ng = agree();
    if (ng == 0) {
        if (!csp_rt.spawned)
            stand_aside("CSP_NG=0");
        return MPI_SUCCESS;
    }
    struct csp_topo *topo = make_topo(nranks, ng);
    if (topo)
        activate(topo, ng);
    else
        stand_aside("a node has no more ranks than CSP_NG, so no user would be left there");
    free(topo);
    csp_spawn_part();
    return MPI_SUCCESS;
}
