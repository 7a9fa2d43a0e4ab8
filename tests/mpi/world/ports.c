// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Ports: the odd ranks connect to the even ones, which accept; both see the application's ranks
// alone.
#include "csp_test.h"

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    MPI_Comm half, inter;
    char port[MPI_MAX_PORT_NAME] = "";
    int odd = csp_test_rank % 2, size = -1, sum = -1, n = csp_test_size, want = 0;
    MPI_Comm_split(MPI_COMM_WORLD, odd, csp_test_rank, &half);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int bad = csp_test_rank == 0 && MPI_Open_port(MPI_INFO_NULL, port) != MPI_SUCCESS;
    MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK_MSG(!bad, "MPI_Open_port failed");
    if (bad)
        return csp_test_done();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (csp_test_rank == 0)
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (csp_test_rank == 1)
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    PHASE("connect and accept");
    if (odd)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
    else
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
    PHASE("use");
    MPI_Comm_remote_size(inter, &size);
    CHECK_INT(size, odd ? (n + 1) / 2 : n / 2);
    MPI_Allreduce(&csp_test_rank, &sum, 1, MPI_INT, MPI_SUM, inter);
    for (int i = !odd; i < n; i += 2)
        want += i;
    CHECK_INT(sum, want);
    MPI_Comm_disconnect(&inter);
    if (csp_test_rank == 0)
        MPI_Close_port(port);
    MPI_Comm_free(&half);
    return csp_test_done();
}
