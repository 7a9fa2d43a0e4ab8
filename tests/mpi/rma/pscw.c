// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Post-start-complete-wait: rings, one-to-all and all-to-one, repeated.
#include "csp_test_rma.h"

enum { ROUNDS = 8 };

static MPI_Group ranks_group(int n, const int *ranks)
{
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, n, ranks, &group);
    MPI_Group_free(&world);
    return group;
}

static void ring(MPI_Win win, int *base, int round)
{
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    int value = csp_test_rank * 100 + round;
    MPI_Group origins = ranks_group(1, &from), targets = ranks_group(1, &to);
    MPI_Win_post(origins, 0, win);
    MPI_Win_start(targets, 0, win);
    MPI_Put(&value, 1, MPI_INT, to, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    CHECK_INT(base[0], from * 100 + round);
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
}

static void all_to_one(MPI_Win win, int *base, int round)
{
    int root = round % csp_test_size, one = 1, before;
    MPI_Group everybody, targets = ranks_group(1, &root);
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    before = base[1];
    if (csp_test_rank == root)
        MPI_Win_post(everybody, 0, win);
    MPI_Win_start(targets, 0, win);
    MPI_Accumulate(&one, 1, MPI_INT, root, 1, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_complete(win);
    if (csp_test_rank == root) {
        MPI_Win_wait(win);
        CHECK_INT(base[1], before + csp_test_size);
    }
    MPI_Group_free(&everybody);
    MPI_Group_free(&targets);
}

static void one_to_all(MPI_Win win, int *base, int round)
{
    int root = round % csp_test_size, value = 5000 + round;
    MPI_Group everybody, origins = ranks_group(1, &root);
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    MPI_Win_post(origins, 0, win);
    if (csp_test_rank == root) {
        MPI_Win_start(everybody, 0, win);
        for (int t = 0; t < csp_test_size; t++)
            MPI_Put(&value, 1, MPI_INT, t, 2, 1, MPI_INT, win);
        MPI_Win_complete(win);
    }
    MPI_Win_wait(win);
    CHECK_INT(base[2], value);
    MPI_Group_free(&everybody);
    MPI_Group_free(&origins);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * 4, sizeof(int), MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(int) * 4, 0);
    for (int r = 0; r < ROUNDS; r++) {
        PHASE("ring");
        ring(win, base, r);
        PHASE("all to one");
        all_to_one(win, base, r);
        PHASE("one to all");
        one_to_all(win, base, r);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
