// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Intercommunicators between the odd and the even ranks, with MPI_COMM_WORLD as the bridge: sizes,
// groups, messages, collectives, merge in both orders.
#include "csp_test.h"

static void merge(MPI_Comm inter, int odd)
{
    MPI_Comm merged;
    int size = -1, rank = -1, n = csp_test_size, evens = (n + 1) / 2;
    MPI_Intercomm_merge(inter, odd, &merged);
    MPI_Comm_size(merged, &size);
    MPI_Comm_rank(merged, &rank);
    CHECK_INT(size, n);
    CHECK_INT(rank, csp_test_rank / 2 + (odd ? evens : 0));
    MPI_Comm_free(&merged);
    MPI_Intercomm_merge(inter, !odd, &merged);
    MPI_Comm_rank(merged, &rank);
    CHECK_INT(rank, csp_test_rank / 2 + (odd ? 0 : n / 2));
    MPI_Comm_free(&merged);
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    MPI_Comm half, inter;
    MPI_Group remote;
    int odd = csp_test_rank % 2, size = -1, flag = 0, sum = -1, n = csp_test_size;
    int mine = (n + 1 - odd) / 2, others = n - mine;
    MPI_Comm_split(MPI_COMM_WORLD, odd, csp_test_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !odd, 12, &inter);
    MPI_Comm_test_inter(inter, &flag);
    CHECK(flag);
    MPI_Comm_size(inter, &size);
    CHECK_INT(size, mine);
    MPI_Comm_remote_size(inter, &size);
    CHECK_INT(size, others);
    MPI_Comm_remote_group(inter, &remote);
    MPI_Group_size(remote, &size);
    CHECK_INT(size, others);
    MPI_Group_free(&remote);
    MPI_Allreduce(&csp_test_rank, &sum, 1, MPI_INT, MPI_SUM, inter); // of the others
    int want = 0;
    for (int i = !odd; i < n; i += 2)
        want += i;
    CHECK_INT(sum, want);
    if (csp_test_rank < 2) { // the two leaders exchange a message
        int got = -1;
        MPI_Sendrecv(&csp_test_rank, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, inter,
                     MPI_STATUS_IGNORE);
        CHECK_INT(got, !odd);
    }
    merge(inter, odd);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    return csp_test_done();
}
