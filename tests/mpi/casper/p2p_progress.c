// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Large messages move while both sides are outside MPI: afterwards nobody waits for them. Asleep, for
// cores are few where tests run.
#include "casper_only.h"

enum { BYTES = 4 << 20, OUTSIDE_MS = 400, SOON_MS = 150 };

int main(void)
{
    static char in[BYTES], out[BYTES];
    MPI_Request r[2];
    csp_test_init();
    casper_only();
    const int next = (csp_test_rank + 1) % csp_test_size;
    const int last = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    double waited = 0;
    for (int i = 0; i < 3; i++) {
        memset(out, i + 1, BYTES);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Irecv(in, BYTES, MPI_CHAR, last, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(out, BYTES, MPI_CHAR, next, 0, MPI_COMM_WORLD, &r[1]);
        usleep(OUTSIDE_MS * 1000);
        CHECK_INT(in[BYTES - 1], i + 1); // it is here already
        double start = MPI_Wtime();
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        waited = MPI_Wtime() - start;
        CHECK_INT(in[0], i + 1);
    }
    CHECK_MSG(waited < SOON_MS * 1e-3, "waited %.3f s", waited);
    return csp_test_done();
}
