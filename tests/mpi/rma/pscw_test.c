// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Win_test instead of MPI_Win_wait: false while an origin still works, then true once.
#include "csp_test_rma.h"

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    MPI_Win win;
    MPI_Group world, group;
    int *base = csp_test_win_new(sizeof(int) * 4, sizeof(int), MPI_COMM_WORLD, &win);
    int target = csp_test_size - 1, zero = 0, value = 42, flag = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int round = 0; round < 3; round++) {
        csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(int) * 4, 0);
        if (csp_test_rank == 0) {
            MPI_Group_incl(world, 1, &target, &group);
            MPI_Win_start(group, 0, win);
            MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
            MPI_Recv(NULL, 0, MPI_INT, target, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Win_complete(win);
            MPI_Group_free(&group);
        } else if (csp_test_rank == target) {
            MPI_Group_incl(world, 1, &zero, &group);
            MPI_Win_post(group, 0, win);
            for (int i = 0; i < 50; i++) {
                MPI_Win_test(win, &flag);
                CHECK_MSG(!flag, "complete although the origin has not said so");
            }
            MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
            for (flag = 0; !flag;)
                MPI_Win_test(win, &flag);
            CHECK_INT(base[0], 42);
            MPI_Group_free(&group);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    return csp_test_done();
}
