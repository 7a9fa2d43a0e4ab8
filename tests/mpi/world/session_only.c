// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Sessions without MPI_Init: process sets, their info, groups and communicators from them; twice in
// a row, with the second session opened after the first was closed.
#include "sessions.h"

#if CSP_HAVE_MPI_Session_init
static void check_psets(MPI_Session session)
{
    int n = -1, world = 0, self = 0;
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n);
    CHECK(n >= 2);
    for (int i = 0; i < n; i++) {
        char name[MPI_MAX_PSET_NAME_LEN] = "", size_text[64] = "";
        int length = 0, flag = 0;
        MPI_Info info;
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL);
        CHECK(length > 0);
        length = sizeof name;
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
        MPI_Session_get_pset_info(session, name, &info);
        MPI_Info_get(info, "mpi_size", sizeof size_text - 1, size_text, &flag);
        CHECK(flag);
        if (strcasecmp(name, "mpi://WORLD") == 0) {
            world = 1;
            if (csp_test_users())
                CHECK_INT(atoi(size_text), csp_test_users());
        } else if (strcasecmp(name, "mpi://SELF") == 0) {
            self = 1;
            CHECK_INT(atoi(size_text), 1);
        } else if (csp_test_users()) { // whatever else there is: nobody but the application
            CHECK(atoi(size_text) <= csp_test_users());
        }
        MPI_Info_free(&info);
    }
    CHECK(world && self);
}

static int one_session(int round)
{
    int initialized = -1, size;
    PHASE("session_init");
    MPI_Session session = session_open();
    MPI_Initialized(&initialized);
    CHECK_INT(initialized, 0);
    PHASE("psets");
    check_psets(session);
    PHASE("communicators");
    MPI_Comm comm = session_comm(session, "mpi://WORLD", round ? "again" : "first");
    MPI_Comm self = session_comm(session, "mpi://SELF", "self");
    session_check_world(comm);
    MPI_Comm_rank(comm, &csp_test_rank);
    MPI_Comm_size(self, &size);
    CHECK_INT(size, 1);
    int code = session_errors(comm);
    MPI_Comm_free(&self);
    MPI_Comm_free(&comm);
    PHASE("session_finalize");
    MPI_Session_finalize(&session);
    CHECK(session == MPI_SESSION_NULL);
    return code;
}

int main(void)
{
    csp_test_limit();
    int code = one_session(0);
    return one_session(1) || code || atomic_load(&csp_test_errors);
}
#else
SESSIONS_MISSING
#endif
