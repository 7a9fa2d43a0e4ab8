// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Request_free of an MPI_Isendrecv whose receive has come and whose send waits: the call does not wait.
#include "p2p_await.h"

#if CSP_HAVE_MPI_Isendrecv
static void freed_pair(int next_rank, int last_rank)
{
    enum { BYTES = 1 << 20, SEND = 15, RECV, LATER, TOKEN };
    char in = 0, one = 1, token, *out = calloc(2, BYTES);
    MPI_Request r;
    PHASE("freed pair");
    MPI_Isendrecv(out, BYTES, MPI_CHAR, next_rank, SEND, &in, 1, MPI_CHAR, last_rank, RECV,
                  MPI_COMM_WORLD, &r);
    MPI_Send(&one, 1, MPI_CHAR, next_rank, RECV, MPI_COMM_WORLD);
    MPI_Sendrecv(&one, 1, MPI_CHAR, next_rank, LATER, &token, 1, MPI_CHAR, last_rank, LATER,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE); // after RECV
    MPI_Request_free(&r);
    CHECK(r == MPI_REQUEST_NULL);
    MPI_Sendrecv(&one, 1, MPI_CHAR, next_rank, TOKEN, &token, 1, MPI_CHAR, last_rank, TOKEN,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(out + BYTES, BYTES, MPI_CHAR, last_rank, SEND, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    p2p_await(&in, 1);
    CHECK_INT(in, 1);
    MPI_Barrier(MPI_COMM_WORLD); // nobody reads `out` any more
    free(out);
}
#endif

int main(void)
{
    csp_test_init();
    csp_test_need(2);
#if CSP_HAVE_MPI_Isendrecv
    for (int i = 0; i < 2; i++)
        freed_pair((csp_test_rank + 1) % csp_test_size,
                   (csp_test_rank + csp_test_size - 1) % csp_test_size);
#else
    csp_test_skip("this MPI library has no MPI_Isendrecv");
#endif
    return csp_test_done();
}
