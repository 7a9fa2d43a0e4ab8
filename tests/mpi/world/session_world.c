// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Sessions beside MPI_Init (the world model): same ranks as MPI_COMM_WORLD; a session may end
// before and after other sessions.
#include "sessions.h"

#if CSP_HAVE_MPI_Session_init
int main(void)
{
    csp_test_init();
    MPI_Session first = session_open(), second = session_open();
    MPI_Group group, world;
    int result = -1, flag = 0;
    CHECK(first != second);
    MPI_Group_from_session_pset(first, "mpi://WORLD", &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_compare(group, world, &result);
    CHECK_INT(result, MPI_IDENT);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Comm comm = session_comm(second, "mpi://WORLD", "beside");
    session_check_world(comm);
    int rank = -1;
    MPI_Comm_rank(comm, &rank);
    CHECK_INT(rank, csp_test_rank);
    MPI_Session_finalize(&first);
    session_check_world(comm);
    session_check_world(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&second);
    MPI_Initialized(&flag);
    CHECK_INT(flag, 1);
    return csp_test_done();
}
#else
SESSIONS_MISSING
#endif
