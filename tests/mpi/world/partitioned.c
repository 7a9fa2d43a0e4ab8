// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Partitioned communication (MPI-4) on MPI_COMM_WORLD, beside other messages with the same tag, which are not matched with it.
#include "csp_test.h"

#if CSP_HAVE_MPI_Psend_init
enum { PARTS = 4, N = 25, TAG = 9 };

static int out[PARTS * N], in[PARTS * N], other[N], got[N];
static int to, from;

static void fill(int round)
{
    csp_test_poison(in, sizeof in);
    csp_test_poison(got, sizeof got);
    for (int i = 0; i < N; i++)
        other[i] = csp_test_rank * 500 + i + round;
}

static void send_parts(MPI_Request request, int round)
{
    for (int p = PARTS - 1; p >= 0; p--) {
        for (int i = 0; i < N; i++)
            out[p * N + i] = csp_test_rank * 1000 + p * N + i + round;
        MPI_Pready(p, request);
    }
}

static void check(int round)
{
    for (int i = 0; i < PARTS * N; i++)
        CHECK_INT(in[i], from * 1000 + i + round);
    for (int i = 0; i < N; i++)
        CHECK_INT(got[i], from * 500 + i + round);
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request reqs[4];
    to = (csp_test_rank + 1) % csp_test_size;
    from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    MPI_Psend_init(out, PARTS, N, MPI_INT, to, TAG, world, MPI_INFO_NULL, &reqs[0]);
    MPI_Precv_init(in, PARTS, N, MPI_INT, from, TAG, world, MPI_INFO_NULL, &reqs[1]);
    for (int r = 0; r < 3; r++) {
        fill(r);
        MPI_Irecv(got, N, MPI_INT, from, TAG, world, &reqs[2]);
        MPI_Startall(2, reqs);
        MPI_Isend(other, N, MPI_INT, to, TAG, world, &reqs[3]);
        send_parts(reqs[0], r);
        for (int flag = 0; !flag;)
            MPI_Parrived(reqs[1], 1, &flag);
        MPI_Waitall(4, reqs, MPI_STATUSES_IGNORE);
        check(r);
    }
    MPI_Request_free(&reqs[0]);
    MPI_Request_free(&reqs[1]);
    return csp_test_done();
}
#else
int main(void)
{
    csp_test_init();
    csp_test_skip("this MPI library has no MPI_Psend_init");
}
#endif
