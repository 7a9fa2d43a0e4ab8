// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Rank 1 calls exit(3) in the middle of a session, without MPI_Init, while the others wait for it. Run by
// tests/tools/test_bad_input.py.
#include "../world/sessions.h"

#if CSP_HAVE_MPI_Session_init
int main(int argc, char **argv)
{
    csp_test_limit();
    MPI_Session session = session_open();
    MPI_Comm comm = session_comm(session, "mpi://WORLD", "all");
    MPI_Comm_rank(comm, &csp_test_rank);
    for (int i = 0; i < 10; i++)
        MPI_Barrier(comm);
    if (csp_test_rank == 1 && argc > 1 && strcmp(argv[1], "exit3") == 0)
        exit(3);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
#else
SESSIONS_MISSING
#endif
