// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Unknown values of Casper's info keys, given by every process for every window: ignored, and named once on each node.
#include "casper_only.h"

static void make_window(const char *key, const char *value)
{
    MPI_Info info;
    MPI_Win win;
    int *base;
    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    CHECK_INT(MPI_Win_allocate(4, 4, info, MPI_COMM_WORLD, &base, &win), MPI_SUCCESS);
    MPI_Win_free(&win);
    MPI_Info_free(&info);
}

int main(void)
{
    csp_test_init();
    casper_only();
    for (int i = 0; i < 3; i++) {
        make_window("casper_acc_ghost", "nearest");
        make_window("epochs_used", "sometimes");
    }
    return csp_test_done();
}
