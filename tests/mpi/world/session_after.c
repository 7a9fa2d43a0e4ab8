// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A session that is opened after MPI_Finalize: its process sets have the same ranks as the MPI_COMM_WORLD that was.
#include "sessions.h"

#if CSP_HAVE_MPI_Session_init
int main(void)
{
    csp_test_init();
    session_check_world(MPI_COMM_WORLD);
    MPI_Finalize();
    for (int round = 0; round < 2; round++) {
        PHASE("session_init");
        MPI_Session session = session_open();
        MPI_Info info;
        char size[64] = "";
        int flag = 0;
        MPI_Session_get_pset_info(session, "mpi://WORLD", &info);
        MPI_Info_get(info, "mpi_size", sizeof size - 1, size, &flag);
        CHECK(flag);
        if (csp_test_users())
            CHECK_INT(atoi(size), csp_test_users());
        MPI_Info_free(&info);
        PHASE("communicators");
        MPI_Comm comm = session_comm(session, "mpi://WORLD", round ? "again" : "first");
        int rank = -1;
        MPI_Comm_rank(comm, &rank);
        CHECK_INT(rank, csp_test_rank);
        session_check_world(comm);
        int code = session_errors(comm);
        MPI_Comm_free(&comm);
        PHASE("session_finalize");
        MPI_Session_finalize(&session);
        if (code != 0)
            return code;
    }
    return 0;
}
#else
SESSIONS_MISSING
#endif
