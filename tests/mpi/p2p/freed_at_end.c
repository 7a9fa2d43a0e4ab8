// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Finalize with a large message whose send and receive were freed, behind many small ones that are on their way as well: the
// sender's ghost must be there when the receiver's gets to it.
#include "../csp_test.h"

enum { AHEAD = 400, BYTES = 1 << 20 };

static char out[BYTES], in[BYTES], none[1];

int main(void)
{
    MPI_Request r;
    csp_test_init();
    csp_test_need(2);
    const int next_rank = (csp_test_rank + csp_test_size / 2) % csp_test_size;
    const int last_rank = (csp_test_rank + csp_test_size - csp_test_size / 2) % csp_test_size;
    MPI_Irecv(in, BYTES, MPI_CHAR, last_rank, 2, MPI_COMM_WORLD, &r);
    MPI_Request_free(&r);
    for (int i = 0; i < AHEAD; i++) {
        MPI_Irecv(none, 0, MPI_CHAR, last_rank, 1, MPI_COMM_WORLD, &r);
        MPI_Request_free(&r);
    }
    PHASE("finalize");
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < AHEAD; i++) {
        MPI_Isend(out, 0, MPI_CHAR, next_rank, 1, MPI_COMM_WORLD, &r);
        MPI_Request_free(&r);
    }
    MPI_Isend(out, BYTES, MPI_CHAR, next_rank, 2, MPI_COMM_WORLD, &r);
    MPI_Request_free(&r);
    MPI_Finalize();
    return 0;
}
