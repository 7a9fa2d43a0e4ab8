// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Windows on a communicator that came from a session, without MPI_Init.
#include "sessions.h"

#if CSP_HAVE_MPI_Session_init
int main(void)
{
    csp_test_limit();
    PHASE("session_init");
    MPI_Session session = session_open();
    MPI_Comm comm = session_comm(session, "mpi://WORLD", "windows");
    MPI_Win win;
    int size, rank, one = 1;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    csp_test_rank = rank;
    csp_test_size = size;
    int *base = csp_test_win_new(sizeof(int) * 4, sizeof(int), comm, &win);
    FOR_EACH_EPOCH(kind)
    {
        csp_test_win_fill(win, comm, base, sizeof(int) * 4, 0);
        csp_test_epoch_open(kind, win, comm);
        MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
        for (int t = 0; t < size; t++)
            MPI_Accumulate(&one, 1, MPI_INT, t, 1, 1, MPI_INT, MPI_SUM, win);
        csp_test_epoch_close(kind, win, comm);
        CHECK_INT(base[0], (rank + size - 1) % size);
        CHECK_INT(base[1], size);
    }
    MPI_Win_free(&win);
    int code = session_errors(comm);
    MPI_Comm_free(&comm);
    PHASE("session_finalize");
    MPI_Session_finalize(&session);
    return code;
}
#else
SESSIONS_MISSING
#endif
