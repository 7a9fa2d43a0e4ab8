// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Two lock_alls that have not used the other node yet, and on each node somebody who waits for an
// exclusive lock. A lock_all that now asks for the other node may not queue behind those: rank 0 would
// wait for rank 3, that for rank 2, that for rank 1, and that for rank 0. On one node the second lock_all
// would wait behind the first exclusive request, as it may.
#include "casper_only.h"

enum { ROUNDS = 3 };

// Both exclusive requests are in the queues of their nodes.
static void everybody_waits(void)
{
    casper_only_compute(0.3);
}

static void use_other_node(MPI_Win win, int partner)
{
    int one = 1, old = -1, token = 0;
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(&one, &old, MPI_INT, csp_test_rank, 0, MPI_SUM, win);
    MPI_Win_flush(csp_test_rank, win);
    MPI_Send(&token, 1, MPI_INT, csp_test_rank + 1, 0, MPI_COMM_WORLD);
    everybody_waits();
    MPI_Sendrecv(&token, 1, MPI_INT, partner, 1, &token, 1, MPI_INT, partner, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    PHASE("first use of the other node");
    MPI_Fetch_and_op(&one, &old, MPI_INT, partner, 1, MPI_SUM, win);
    MPI_Win_flush(partner, win);
    CHECK(old >= 0);
    MPI_Win_unlock_all(win);
}

static void want_exclusive(MPI_Win win, int target)
{
    int one = 1, old = -1, token;
    MPI_Recv(&token, 1, MPI_INT, target, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    PHASE("exclusive lock");
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Fetch_and_op(&one, &old, MPI_INT, target, 2, MPI_SUM, win);
    MPI_Win_unlock(target, win);
    CHECK(old >= 0);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = casper_only_two_by_two(&win);
    for (int r = 0; r < ROUNDS; r++) {
        if (csp_test_rank % 2 == 0)
            use_other_node(win, 2 - csp_test_rank);
        else
            want_exclusive(win, csp_test_rank - 1);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    csp_test_own(win, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        CHECK_INT(base[i], csp_test_rank % 2 == 0 ? ROUNDS : 0);
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return csp_test_done();
}
