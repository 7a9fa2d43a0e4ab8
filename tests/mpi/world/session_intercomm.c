// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// An intercommunicator made from two groups of a session, without MPI_Init.
#include "sessions.h"

#if CSP_HAVE_MPI_Session_init && CSP_HAVE_MPI_Intercomm_create_from_groups
int main(void)
{
    csp_test_limit();
    MPI_Session session = session_open();
    MPI_Comm comm = session_comm(session, "mpi://WORLD", "all"), inter;
    MPI_Group world, low, high;
    int n, me, remote = -1, sum = -1;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    csp_test_rank = me;
    if (n < 2) {
        MPI_Comm_free(&comm);
        MPI_Session_finalize(&session);
        csp_test_skip("too few ranks");
    }
    MPI_Comm_group(comm, &world);
    int cut = n / 2, a[1][3] = {{0, cut - 1, 1}}, b[1][3] = {{cut, n - 1, 1}};
    MPI_Group_range_incl(world, 1, a, &low);
    MPI_Group_range_incl(world, 1, b, &high);
    MPI_Intercomm_create_from_groups(me < cut ? low : high, 0, me < cut ? high : low, 0, "bridge",
                                     MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inter);
    MPI_Comm_remote_size(inter, &remote);
    CHECK_INT(remote, me < cut ? n - cut : cut);
    int one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
    CHECK_INT(sum, remote);
    MPI_Comm_free(&inter);
    MPI_Group_free(&low);
    MPI_Group_free(&high);
    MPI_Group_free(&world);
    int code = session_errors(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return code;
}
#else
int main(void)
{
    csp_test_init();
    csp_test_skip("this MPI library has no MPI_Intercomm_create_from_groups");
}
#endif
