// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Error handlers and info of a session, an unknown process set, and a group of part of a process
// set.
#include "sessions.h"

#if CSP_HAVE_MPI_Session_init
static void part(MPI_Session session)
{
    MPI_Group world, odd;
    MPI_Comm comm = MPI_COMM_NULL;
    int n, me, size = -1;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Group_size(world, &n);
    MPI_Group_rank(world, &me);
    int range[1][3] = {{n > 1, n - 1, 2}};
    MPI_Group_range_incl(world, 1, range, &odd);
    if (me % 2 == (n > 1)) {
        MPI_Comm_create_from_group(odd, "odd", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
        MPI_Comm_size(comm, &size);
        CHECK_INT(size, n > 1 ? n / 2 : 1);
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&odd);
    MPI_Group_free(&world);
}

int main(void)
{
    csp_test_init();
    MPI_Session session;
    MPI_Errhandler handler;
    MPI_Info info;
    MPI_Group group;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Session_get_errhandler(session, &handler);
    CHECK(handler == MPI_ERRORS_RETURN);
    MPI_Session_get_info(session, &info);
    MPI_Info_free(&info);
    CHECK(MPI_Group_from_session_pset(session, "mpi://nobody", &group) != MPI_SUCCESS);
    part(session);
    MPI_Session_finalize(&session);
    return csp_test_done();
}
#else
SESSIONS_MISSING
#endif
