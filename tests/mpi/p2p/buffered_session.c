// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A buffered send on a duplicate of a session's communicator finds its room in the buffer that was attached to the session.
#include "../world/sessions.h"

#if CSP_HAVE_MPI_Session_init && CSP_HAVE_MPI_Session_attach_buffer
int main(void)
{
    static char room[1000 + MPI_BSEND_OVERHEAD];
    void *was = NULL;
    int bytes = 0, rank, size, got = -1, code;
    MPI_Comm comm, other;
    csp_test_limit();
    MPI_Session session = session_open();
    MPI_Session_attach_buffer(session, room, (int)sizeof room);
    comm = session_comm(session, "mpi://WORLD", "all");
    MPI_Comm_dup(comm, &other);
    MPI_Comm_rank(other, &rank);
    MPI_Comm_size(other, &size);
    csp_test_rank = rank;
    MPI_Bsend(&rank, 1, MPI_INT, (rank + 1) % size, 0, other);
    MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, 0, other, MPI_STATUS_IGNORE);
    CHECK_INT(got, (rank + size - 1) % size);
    MPI_Session_detach_buffer(session, &was, &bytes);
    CHECK(was == room);
    code = session_errors(comm);
    MPI_Comm_free(&other);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return code;
}
#else
SESSIONS_MISSING
#endif
