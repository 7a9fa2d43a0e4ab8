// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Partitioned communication (MPI-4) on MPI_COMM_WORLD.
#include "csp_test.h"

#if CSP_HAVE_MPI_Psend_init
int main(void)
{
    enum { PARTS = 4, N = 25 };
    csp_test_init();
    csp_test_need(2);
    int n = csp_test_size, me = csp_test_rank, to = (me + 1) % n, from = (me + n - 1) % n;
    int out[PARTS * N], in[PARTS * N];
    MPI_Request reqs[2];
    MPI_Psend_init(out, PARTS, N, MPI_INT, to, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &reqs[0]);
    MPI_Precv_init(in, PARTS, N, MPI_INT, from, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &reqs[1]);
    for (int r = 0; r < 3; r++) {
        csp_test_poison(in, sizeof in);
        MPI_Startall(2, reqs);
        for (int p = PARTS - 1; p >= 0; p--) {
            for (int i = 0; i < N; i++)
                out[p * N + i] = me * 1000 + p * N + i + r;
            MPI_Pready(p, reqs[0]);
        }
        for (int flag = 0; !flag;)
            MPI_Parrived(reqs[1], 1, &flag);
        MPI_Waitall(2, reqs, MPI_STATUSES_IGNORE);
        for (int i = 0; i < PARTS * N; i++)
            CHECK_INT(in[i], from * 1000 + i + r);
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
