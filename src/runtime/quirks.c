// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
#include "runtime/quirks.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/info.h"
#include "runtime/rt.h"

// Above what libfabric's providers for networks inject (tcp 64 to 128 bytes, verbs 64, efa 32, cxi
// 192); what is longer completes when it was delivered.
enum { WEAK_PUT_BYTES = 512 };

struct csp_quirks csp_quirks;

static int open_mpi_4; // which components it has for windows is a matter of its installation

// MPICH over libfabric. (Intel MPI's flush waits: a PUT of one byte to a target that is busy for 25 ms
// returns after 25 ms, MPICH's after 6 us.) A build for several networks says "ch4:ucx ofi"; the first is
// the default, MPIR_CVAR_CH4_NETMOD chooses.
static int over_libfabric(const char *version)
{
    const char *device = strstr(version, "ch4:"), *netmod = getenv("MPIR_CVAR_CH4_NETMOD");
    if (!device)
        return 0;
    if (netmod && *netmod)
        return strcmp(netmod, "ofi") == 0;
    return strncmp(device, "ch4:ofi", 7) == 0;
}

static enum csp_soft_acc soft_acc(const char *version)
{
    switch (csp_config.acc_route) {
    case CSP_CONFIG_ACC_ROUTE_SOFTWARE:
        return CSP_SOFT_ACC_ALWAYS;
    case CSP_CONFIG_ACC_ROUTE_LIBRARY:
        return CSP_SOFT_ACC_NEVER;
    default:
        return strncmp(version, "Open MPI", 8) == 0 ? CSP_SOFT_ACC_ALWAYS : CSP_SOFT_ACC_REDIRECTED;
    }
}

void csp_quirks_detect(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int len = 0;
    csp_mpi.Get_library_version(version, &len);
    int mpich = strncmp(version, "MPICH", 5) == 0,
        threads = csp_rt.thread_level == MPI_THREAD_MULTIPLE;
    int weak = csp_config.confirm_put == CSP_CONFIG_CONFIRM_PUT_ON ||
               (csp_config.confirm_put == CSP_CONFIG_CONFIRM_PUT_AUTO && over_libfabric(version));
    csp_quirks.weak_put_bytes = weak ? WEAK_PUT_BYTES : 0;
    open_mpi_4 = strncmp(version, "Open MPI v4", 11) == 0;
    csp_quirks.create_refused = threads && open_mpi_4;
    csp_quirks.create_hangs = csp_rt.levels_differ && open_mpi_4;
    csp_quirks.fixed_routes = open_mpi_4;
    csp_quirks.runs_slow = strncmp(version, "Open MPI", 8) == 0 && !open_mpi_4;
    csp_quirks.targets_race = threads && mpich && !csp_rt.is_ghost;
    csp_quirks.soft_acc = soft_acc(version);
    csp_quirks.early_requests = mpich;
}

// Open MPI 5 makes a communicator of its own out of the real MPI_COMM_WORLD at a process's first
// partitioned operation, and goes on once all processes are in it. Ghosts would never come.
void csp_quirks_join(void)
{
#if defined(OPEN_MPI) && CSP_HAVE_MPI_Psend_init
    MPI_Request requests[2];
    int from = 0, to = 0, me = csp_rt.wrank;
    csp_mpi.Psend_init(&from, 1, 1, MPI_INT, me, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    csp_mpi.Precv_init(&to, 1, 1, MPI_INT, me, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    csp_mpi.Request_free(&requests[0]);
    csp_mpi.Request_free(&requests[1]);
#endif
}

void csp_quirks_try(void)
{
    MPI_Win win;
    if (!open_mpi_4 || csp_quirks.create_refused)
        return;
    int rc = csp_mpi.Win_create(NULL, 0, 1, MPI_INFO_NULL, csp_rt.self, &win);
    csp_quirks.create_refused = rc != MPI_SUCCESS;
    if (rc == MPI_SUCCESS)
        csp_mpi.Win_free(&win);
}

// It lets MPI_INFO_ENV be changed, and what reads or copies it, from Fortran too, then finds the number there.
void csp_quirks_env(MPI_Info env)
{
#if defined(OPEN_MPI)
    static const char *const keys[] = {"maxprocs", "soft", "ompi_np"};
    static int ranks, users; // MPI_Info_create_env may come after MPI_Finalize
    char text[CSP_INFO_VALUE_BYTES];
    if (csp_rt.active) {
        ranks = csp_rt.topo->nranks;
        users = csp_rt.topo->nusers;
    }
    for (size_t i = 0; users && i < sizeof(keys) / sizeof(*keys); i++) {
        if (!csp_info_get(env, keys[i], text) || atoi(text) != ranks)
            continue;
        snprintf(text, sizeof(text), "%d", users);
        csp_mpi.Info_set(env, keys[i], text);
    }
#else
    (void)env;
#endif
}

int csp_quirks_yield(int yes)
{
    bool (*set)(bool); // returns what it was
    int changes = csp_rt.is_ghost ? csp_config.ghost_poll != CSP_CONFIG_GHOST_POLL_SPIN
                                  : csp_config.yield == CSP_CONFIG_YIELD_START;
    if (!changes)
        return yes;
    void *found = dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle"); // of libopen-pal
    if (!found)
        return yes;
    memcpy(&set, &found, sizeof(set));
    return set(yes);
}
