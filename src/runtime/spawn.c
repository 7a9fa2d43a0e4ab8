// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Spawned jobs that have ghosts.
//
//   child, lowest rank                     parent, lowest rank of the communicator
//   ------------------------------------   ----------------------------------------------------------
//   MPI_Init of the library                MPI_Comm_spawn of the library
//   ghosts per node ------------------->   waits for it; a program without Casper says nothing
//   <-----------------------------------   heard
//   all of both sides: MPI_Comm_split without ghosts, MPI_Comm_disconnect of what was
//
// Without an answer the child has no ghosts. MPI-4.1 11.8.
#include "runtime/spawn.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/config.h"
#include "base/log.h"
#include "runtime/init.h"
#include "runtime/rt.h"

enum { TAG = 31807, NAP_NS = 100000 };
static const uint64_t PARENT_WAITS_NS = 10000000000, CHILD_WAITS_NS = 30000000000;

static MPI_Comm library_parent = MPI_COMM_NULL;
static MPI_Comm users_parent; // MPI_COMM_NULL once the program has freed it
static int announced;         // with ghosts, and the parents know
static int keyval;            // of users_parent: tells when it is freed

void csp_spawn_detect(void)
{
    csp_mpi.Comm_get_parent(&library_parent);
    if (library_parent == MPI_COMM_NULL)
        return;
    csp_rt.spawned = (int)getpid();
    csp_mpi.Bcast(&csp_rt.spawned, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

void csp_spawn_file(char *path, size_t bytes, const char *name)
{
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/')
        length--;
    if (csp_rt.spawned)
        snprintf(path, bytes, "%.*s.spawned-%d", (int)length, name, csp_rt.spawned);
    else
        snprintf(path, bytes, "%s", name);
}

// Child, lowest rank. @return the parents know.
static int tell_parents(int ng)
{
    int heard = 0, done = 0;
    MPI_Request said, answer;
    csp_mpi.Irecv(&heard, 1, MPI_INT, 0, TAG, library_parent, &answer);
    csp_mpi.Isend(&ng, 1, MPI_INT, 0, TAG, library_parent, &said);
    for (uint64_t end = csp_clock_ns() + CHILD_WAITS_NS; csp_clock_ns() < end;) {
        csp_mpi.Test(&answer, &done, MPI_STATUS_IGNORE);
        if (done) {
            csp_mpi.Wait(&said, MPI_STATUS_IGNORE);
            return heard;
        }
        csp_clock_sleep(NAP_NS);
    }
    int cancelled = 0;
    MPI_Status status;
    csp_mpi.Cancel(&answer);
    csp_mpi.Wait(&answer, &status);
    csp_mpi.Test_cancelled(&status, &cancelled);
    if (!cancelled) { // at the last moment
        csp_mpi.Wait(&said, MPI_STATUS_IGNORE);
        return heard;
    }
    csp_mpi.Request_free(&said);
    return 0;
}

int csp_spawn_announce(int ng)
{
    int heard = 0;
    if (csp_config.spawn_ng == 0)
        return 0;
    if (csp_rt.wrank == 0) {
        heard = tell_parents(ng);
        if (!heard)
            csp_warn("CSP_SPAWN_NG=%d has no effect: the job that called MPI_Comm_spawn does not "
                     "run with Casper "
                     "and CSP_SPAWN_NG",
                     ng);
    }
    csp_init_must(csp_mpi.Bcast(&heard, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
    announced = heard && ng > 0;
    return announced ? ng : 0;
}

static int at_free(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    users_parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

void csp_spawn_part(void)
{
    if (!announced)
        return;
    csp_init_must(csp_mpi.Comm_split(library_parent, csp_rt.is_ghost ? MPI_UNDEFINED : 0,
                                     csp_rt.wrank, &users_parent),
                  "MPI_Comm_split");
    csp_init_must(csp_mpi.Comm_disconnect(&library_parent), "MPI_Comm_disconnect");
    if (csp_rt.is_ghost)
        return;
    csp_mpi.Comm_set_name(users_parent, "MPI_COMM_PARENT");
    csp_init_must(csp_mpi.Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_free, &keyval, NULL),
                  "MPI_Comm_create_keyval");
    csp_init_must(csp_mpi.Comm_set_attr(users_parent, keyval, NULL), "MPI_Comm_set_attr");
    csp_mpi.Comm_free_keyval(&keyval);
}

int csp_spawn_parent(MPI_Comm *parent)
{
    if (!announced)
        return csp_mpi.Comm_get_parent(parent);
    *parent = users_parent;
    return MPI_SUCCESS;
}

// Parent, lowest rank. @return ghosts on each node of the spawned job.
static int hear_child(MPI_Comm children)
{
    int ng = 0, flag = 0;
    for (uint64_t end = csp_clock_ns() + PARENT_WAITS_NS; !flag && csp_clock_ns() < end;) {
        csp_mpi.Iprobe(0, TAG, children, &flag, MPI_STATUS_IGNORE);
        if (!flag)
            csp_clock_sleep(NAP_NS);
    }
    if (!flag) {
        csp_warn("CSP_SPAWN_NG=%ld has no effect: the spawned processes do not run with Casper; "
                 "preload it for "
                 "them, or unset CSP_SPAWN_NG",
                 (long)csp_config.spawn_ng);
        return 0;
    }
    csp_mpi.Recv(&ng, 1, MPI_INT, 0, TAG, children, MPI_STATUS_IGNORE);
    flag = 1;
    csp_mpi.Send(&flag, 1, MPI_INT, 0, TAG, children);
    return ng;
}

int csp_spawn_adopt(MPI_Comm comm, MPI_Comm *children)
{
    int rank = -1, ng = 0;
    csp_mpi.Comm_rank(comm, &rank);
    if (rank == 0 && csp_config.spawn_ng > 0)
        ng = hear_child(*children);
    int rc = csp_mpi.Bcast(&ng, 1, MPI_INT, 0, comm);
    if (rc != MPI_SUCCESS || ng == 0)
        return rc;
    MPI_Comm users;
    rc = csp_mpi.Comm_split(*children, 0, rank, &users);
    if (rc == MPI_SUCCESS)
        rc = csp_mpi.Comm_disconnect(children);
    if (rc == MPI_SUCCESS)
        *children = users;
    return rc;
}
