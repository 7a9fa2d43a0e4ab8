// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Nonblocking collectives on MPI_COMM_WORLD, several in flight at once, and persistent ones
// (MPI-4).
#include "csp_test.h"

enum { REQS = 8 };

static void nonblocking(int n, int me)
{
    MPI_Request reqs[REQS];
    int root = n - 1, bcast = me == root ? 5 : -1, sum = -1, scan = -1, value = me + 1, got = -1;
    int *all = calloc((size_t)n, 4), *in = calloc((size_t)n, 4), *out = calloc((size_t)n, 4), k = 0;
    int *gathered = calloc((size_t)n, 4);
    for (int i = 0; i < n; i++)
        out[i] = me * 100 + i;
    MPI_Ibarrier(MPI_COMM_WORLD, &reqs[k++]);
    MPI_Ibcast(&bcast, 1, MPI_INT, root, MPI_COMM_WORLD, &reqs[k++]);
    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &reqs[k++]);
    MPI_Iallgather(&me, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &reqs[k++]);
    MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &reqs[k++]);
    MPI_Iscan(&value, &scan, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &reqs[k++]);
    MPI_Igather(&value, 1, MPI_INT, gathered, 1, MPI_INT, 0, MPI_COMM_WORLD, &reqs[k++]);
    MPI_Iscatter(out, 1, MPI_INT, &got, 1, MPI_INT, 0, MPI_COMM_WORLD, &reqs[k++]);
    MPI_Waitall(k, reqs, MPI_STATUSES_IGNORE);
    CHECK_INT(bcast, 5);
    CHECK_INT(sum, n * (n + 1) / 2);
    CHECK_INT(scan, (me + 1) * (me + 2) / 2);
    CHECK_INT(got, me);
    for (int i = 0; i < n; i++) {
        CHECK_INT(all[i], i);
        CHECK_INT(in[i], i * 100 + me);
        CHECK(me != 0 || gathered[i] == i + 1);
    }
    free(all);
    free(in);
    free(out);
    free(gathered);
}

static void persistent(int n, int me)
{
#if CSP_HAVE_MPI_Allreduce_init
    MPI_Request reqs[3];
    int value = 0, sum, bcast;
    MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &reqs[0]);
    MPI_Bcast_init(&bcast, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &reqs[1]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &reqs[2]);
    for (int r = 0; r < 4; r++) {
        value = me + r;
        bcast = me == 0 ? r : -1;
        sum = -1;
        MPI_Startall(3, reqs);
        MPI_Waitall(3, reqs, MPI_STATUSES_IGNORE);
        CHECK_INT(sum, n * (n - 1) / 2 + n * r);
        CHECK_INT(bcast, r);
    }
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&reqs[i]);
#else
    (void)n;
    (void)me;
#endif
}

int main(void)
{
    csp_test_init();
    for (int i = 0; i < 5; i++)
        nonblocking(csp_test_size, csp_test_rank);
    persistent(csp_test_size, csp_test_rank);
    return csp_test_done();
}
