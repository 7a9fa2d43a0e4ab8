// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Large messages arrive while both sides are outside MPI. Asleep, for cores are few where tests run.
#include "casper_only.h"

enum { BYTES = 4 << 20, OUTSIDE_MS = 20000, LOOK_MS = 5 };

int main(void)
{
    static char in[BYTES], out[BYTES];
    MPI_Request r[2];
    csp_test_init();
    casper_only();
    const int next = (csp_test_rank + 1) % csp_test_size;
    const int last = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    for (int i = 0; i < 3; i++) {
        memset(out, i + 1, BYTES);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Irecv(in, BYTES, MPI_CHAR, last, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(out, BYTES, MPI_CHAR, next, 0, MPI_COMM_WORLD, &r[1]);
        const volatile char *end = &in[BYTES - 1];
        for (int ms = 0; *end != i + 1 && ms < OUTSIDE_MS; ms += LOOK_MS)
            usleep(LOOK_MS * 1000);
        CHECK_INT(*end, i + 1); // without a call of this process
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        CHECK_INT(in[0], i + 1);
    }
    return csp_test_done();
}
