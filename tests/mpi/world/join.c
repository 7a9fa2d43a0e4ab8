// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Comm_join of ranks 0 and 1 over a socket of their own: an inter-communicator with one process
// on each side, whatever else there is.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include "csp_test.h"

// A TCP connection of the two over the loopback device.
static int connected(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0), port, peer = -1;
    if (csp_test_rank == 0) {
        if (bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 1) == 0)
            getsockname(fd, (struct sockaddr *)&at, &length);
        port = at.sin_port;
        MPI_Send(&port, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        peer = accept(fd, NULL, NULL);
        close(fd);
        return peer;
    }
    MPI_Recv(&port, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    at.sin_port = (in_port_t)port;
    return connect(fd, (struct sockaddr *)&at, sizeof at) == 0 ? fd : -1;
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    MPI_Comm inter = MPI_COMM_NULL;
    if (csp_test_rank < 2) {
        int fd = connected(), size = -1, inside = 0, got = -1, mine = 40 + csp_test_rank;
        PHASE("join");
        CHECK(fd >= 0);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        int rc = MPI_Comm_join(fd, &inter);
        CHECK_INT(rc, MPI_SUCCESS);
        if (rc == MPI_SUCCESS && inter != MPI_COMM_NULL) {
            PHASE("use");
            MPI_Comm_test_inter(inter, &inside);
            CHECK(inside);
            MPI_Comm_size(inter, &size);
            CHECK_INT(size, 1);
            MPI_Comm_remote_size(inter, &size);
            CHECK_INT(size, 1);
            MPI_Sendrecv(&mine, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
            CHECK_INT(got, 41 - csp_test_rank);
            MPI_Comm_disconnect(&inter);
        }
        close(fd);
    }
    return csp_test_done();
}
