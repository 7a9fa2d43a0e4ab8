// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Info of a window: a handle comes back, can be freed, does not alias; hints are taken at creation
// and by MPI_Win_set_info; unknown keys are ignored; results stay right.
#include "comms.h"

static MPI_Info hints(void)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "false");
    MPI_Info_set(info, "accumulate_ordering", "rar,raw,war,waw");
    MPI_Info_set(info, "accumulate_ops", "same_op_no_op");
    MPI_Info_set(info, "same_disp_unit", "true");
    MPI_Info_set(info, "same_size", "true");
    MPI_Info_set(info, "a_key_that_nobody_knows", "some value");
    return info;
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    MPI_Info info = hints(), used = MPI_INFO_NULL;
    int *base, nkeys = -1;
    MPI_Win_allocate(64, sizeof(int), info, MPI_COMM_WORLD, &base, &win);
    MPI_Win_get_info(win, &used);
    CHECK(used != MPI_INFO_NULL);
    CHECK(used != info);
    MPI_Info_get_nkeys(used, &nkeys);
    CHECK(nkeys >= 0);
    MPI_Info_free(&used);
    comm_use(win, MPI_COMM_WORLD, base, 1);
    MPI_Info_set(info, "accumulate_ordering", "none");
    MPI_Win_set_info(win, info);
    comm_use(win, MPI_COMM_WORLD, base, 2);
    MPI_Win_get_info(win, &used);
    for (int i = 0; i < 2; i++) {
        char value[64] = "";
        int flag = 0;
        MPI_Info_get(used, "no_locks", 63, value, &flag);
        CHECK(!flag || strcmp(value, "false") == 0);
    }
    MPI_Info_free(&used);
    MPI_Info_free(&info);
    MPI_Win_free(&win);
    return csp_test_done();
}
