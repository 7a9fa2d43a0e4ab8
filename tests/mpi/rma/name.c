// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Names of windows: a new one has none of its own (or the empty one), set and get, the longest.
#include "csp_test_rma.h"

int main(void)
{
    csp_test_init();
    MPI_Win win;
    char name[MPI_MAX_OBJECT_NAME], longest[MPI_MAX_OBJECT_NAME];
    int length = -1;
    csp_test_win_new(64, 1, MPI_COMM_WORLD, &win);
    MPI_Win_get_name(win, name, &length);
    CHECK_INT(length, strlen(name));
    MPI_Win_set_name(win, "halo of the ocean");
    MPI_Win_get_name(win, name, &length);
    CHECK_STR(name, "halo of the ocean");
    CHECK_INT(length, strlen("halo of the ocean"));
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    MPI_Win_set_name(win, longest);
    MPI_Win_get_name(win, name, &length);
    CHECK_STR(name, longest);
    MPI_Win_free(&win);
    return csp_test_done();
}
