// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Sessions. Ghosts need the real world, so the first session of a program that has not called
// MPI_Init starts Casper, which initialises MPI underneath; a ghost does not come back from that.
// Process sets then show their users alone. User role, any thread. MPI-4.1 11.3.
#include "wrap/hooks.h"

#if CSP_HAVE_MPI_Session_init
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static pid_t starter; // the process (not a forked child) that shall end MPI at exit

// What the program asks for in the info; all that the library can do when it does not say.
static int wanted_level(MPI_Info info)
{
    static const struct {
        const char *name;
        int level;
    } levels[] = {{"MPI_THREAD_SINGLE", MPI_THREAD_SINGLE},
                  {"MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED},
                  {"MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED}};
    char value[64] = "";
    int flag = 0;
    if (info != MPI_INFO_NULL)
        csp_mpi.Info_get(info, "thread_level", (int)sizeof(value) - 1, value, &flag);
    for (unsigned i = 0; flag && i < sizeof(levels) / sizeof(levels[0]); i++)
        if (strcmp(value, levels[i].name) == 0)
            return levels[i].level;
    return MPI_THREAD_MULTIPLE;
}

static void stop_at_exit(void)
{
    if (getpid() == starter && csp_rt_is_over())
        csp_rt_stop();
}

// Bad variables are named by csp_rt_start, or by MPI_Init if Casper is off.
static int casper_is_off(void)
{
    return csp_config_load(environ, 0) == CSP_OK && csp_config.ng == 0;
}

// The libraries begin anew with all processes of the job, and ghosts do not come back: an error instead of a wait
// without end.
static int refuse(MPI_Errhandler errh)
{
    csp_error("MPI_Session_init after MPI_Finalize: the ghosts have left, and the MPI library "
              "would wait for them; open a session before MPI_Finalize, or run with CSP_NG=0");
    if (errh == MPI_ERRORS_ARE_FATAL || errh == MPI_ERRORS_ABORT)
        csp_rt_die(1);
    return MPI_ERR_OTHER;
}

static int had_ghosts(void)
{
    return csp_rt.urank >= 0 && !csp_rt.active;
}

static int start_casper(MPI_Info info)
{
    int inited = 0, provided = 0;
    int rc = csp_mpi.Initialized(&inited);
    if (rc != MPI_SUCCESS || inited || casper_is_off())
        return rc;
    rc = csp_rt_start(NULL, NULL, wanted_level(info), &provided, 1);
    if (rc == MPI_SUCCESS) {
        starter = getpid();
        atexit(stop_at_exit);
    }
    return rc;
}

int csp_rt_session_init(MPI_Info info, MPI_Errhandler errh, MPI_Session *session)
{
    pthread_mutex_lock(&csp_rt_start_lock);
    int rc = had_ghosts() ? refuse(errh) : start_casper(info);
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.Session_init(info, errh, session);
    if (rc == MPI_SUCCESS)
        csp_rt_session_begun();
    pthread_mutex_unlock(&csp_rt_start_lock);
    return rc;
}

int csp_rt_session_finalize(MPI_Session *session)
{
    int rc = csp_mpi.Session_finalize(session);
    return rc == MPI_SUCCESS ? csp_rt_session_ended() : rc;
}

// The members of `all` that are not ghosts. Groups of different sessions, or of a session and the
// world, must not meet in one call (MPICH 5 ends the job), so ranks are compared within the
// session: its mpi://WORLD has the ranks of the real MPI_COMM_WORLD.
static int keep_users(MPI_Group all, MPI_Group world, MPI_Group *users)
{
    const int32_t *urank = csp_topo_urank_of_wrank(csp_rt.topo);
    int n = 0, kept = 0;
    csp_mpi.Group_size(all, &n);
    int *ranks = malloc(2 * (size_t)(n + 1) * sizeof(*ranks)), *wranks = ranks + n;
    CSP_CHECK(ranks, "out of memory for a process set");
    for (int i = 0; i < n; i++)
        ranks[i] = i;
    int rc = csp_mpi.Group_translate_ranks(all, n, ranks, world, wranks);
    for (int i = 0; i < n && rc == MPI_SUCCESS; i++)
        if (wranks[i] == MPI_UNDEFINED || urank[wranks[i]] >= 0)
            ranks[kept++] = i;
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.Group_incl(all, kept, ranks, users);
    free(ranks);
    return rc;
}

int csp_rt_group_from_session_pset(MPI_Session session, const char *pset, MPI_Group *group)
{
    MPI_Group all, world;
    int rc = csp_mpi.Group_from_session_pset(session, pset, group);
    if (rc != MPI_SUCCESS || !csp_rt.active)
        return rc;
    all = *group;
    rc = csp_mpi.Group_from_session_pset(session, "mpi://WORLD", &world);
    if (rc == MPI_SUCCESS) {
        rc = keep_users(all, world, group);
        csp_mpi.Group_free(&world);
    }
    csp_mpi.Group_free(&all);
    return rc;
}

int csp_rt_session_get_pset_info(MPI_Session session, const char *pset, MPI_Info *info)
{
    int rc = csp_mpi.Session_get_pset_info(session, pset, info);
    if (rc != MPI_SUCCESS || !csp_rt.active)
        return rc;
    MPI_Group users;
    char text[24];
    int size = 0;
    rc = csp_rt_group_from_session_pset(session, pset, &users);
    if (rc != MPI_SUCCESS) {
        csp_mpi.Info_free(info);
        return rc;
    }
    csp_mpi.Group_size(users, &size);
    csp_mpi.Group_free(&users);
    snprintf(text, sizeof(text), "%d", size);
    return csp_mpi.Info_set(*info, "mpi_size", text);
}
#endif
