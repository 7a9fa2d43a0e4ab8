// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A thread that is there before MPI_Init asks MPI_Initialized until it may go on: it must find the world without ghosts, and in a
// ghost never. With an argument it opens a session after so many microseconds: before MPI_Init, in the middle of it or behind it.
#include "casper_only.h"

#include <pthread.h>

static _Atomic int went_on;
static int session_after_us = -1;

static void check_world(void)
{
    int size = 0, users = csp_test_users();
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != users) {
        fprintf(stderr, "MPI_COMM_WORLD has %d processes, not %d\n", size, users);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void open_session(void)
{
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Group group;
    int size = 0, users = csp_test_users();
    usleep((useconds_t)session_after_us);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Group_size(group, &size);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    if (size != users) {
        fprintf(stderr, "mpi://WORLD has %d processes, not %d\n", size, users);
        abort();
    }
#endif
}

static void *early(void *unused)
{
    int inited = 0;
    if (session_after_us >= 0)
        open_session();
    while (!inited) {
        MPI_Initialized(&inited);
        usleep(100);
    }
    check_world();
    atomic_store(&went_on, 1);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int provided;
    if (argc > 1)
        session_after_us = atoi(argv[1]);
    pthread_create(&thread, NULL, early, NULL);
    csp_test_init_thread(MPI_THREAD_MULTIPLE, &provided);
    pthread_join(thread, NULL);
    CHECK_INT(atomic_load(&went_on), 1);
    return csp_test_done();
}
