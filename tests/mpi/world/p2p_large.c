// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Large and strided messages on MPI_COMM_WORLD in both directions at once, and many small ones in
// order.
#include "csp_test.h"

enum { LARGE = 1 << 18, SMALL = 200 };

int main(void)
{
    csp_test_init();
    int n = csp_test_size, me = csp_test_rank, to = (me + 1) % n, from = (me + n - 1) % n,
        wrong = 0;
    double *out = malloc(sizeof(double) * LARGE), *in = csp_test_malloc(sizeof(double) * LARGE);
    MPI_Datatype column;
    for (int i = 0; i < LARGE; i++)
        out[i] = me * 1e7 + i;
    MPI_Sendrecv(out, LARGE, MPI_DOUBLE, to, 0, in, LARGE, MPI_DOUBLE, from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < LARGE; i++)
        wrong += in[i] != from * 1e7 + i;
    CHECK_INT(wrong, 0);
    MPI_Type_vector(LARGE / 8, 1, 8, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    csp_test_poison(in, sizeof(double) * LARGE);
    MPI_Sendrecv(out, 1, column, to, 1, in, LARGE / 8, MPI_DOUBLE, from, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < LARGE / 8; i++)
        wrong += in[i] != from * 1e7 + 8 * i;
    CHECK_INT(wrong, 0);
    MPI_Request reqs[SMALL];
    int values[SMALL];
    for (int i = 0; i < SMALL; i++) {
        values[i] = me * 1000 + i;
        MPI_Isend(&values[i], 1, MPI_INT, to, 2, MPI_COMM_WORLD, &reqs[i]);
    }
    for (int i = 0; i < SMALL; i++) {
        int got = -1;
        MPI_Recv(&got, 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : from, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        CHECK_INT(got, from * 1000 + i);
    }
    MPI_Waitall(SMALL, reqs, MPI_STATUSES_IGNORE);
    MPI_Type_free(&column);
    free(out);
    free(in);
    return csp_test_done();
}
