// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The program's own attributes of a window: set, get, delete; the delete function gets the
// program's handle and runs once for each attribute, at the latest when the window is freed.
#include "csp_test_rma.h"

static int deleted, value_seen;
static MPI_Win handle;

static int on_delete(MPI_Win win, int keyval, void *value, void *extra)
{
    (void)keyval;
    deleted++;
    value_seen += *(int *)value;
    CHECK(win == handle);
    CHECK(extra == &deleted);
    return MPI_SUCCESS;
}

int main(void)
{
    csp_test_init();
    int keys[3], values[3] = {1, 10, 100}, flag, *got;
    csp_test_win_new(64, 4, MPI_COMM_WORLD, &handle);
    for (int k = 0; k < 3; k++) {
        MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &keys[k], &deleted);
        MPI_Win_get_attr(handle, keys[k], &got, &flag);
        CHECK(!flag);
        MPI_Win_set_attr(handle, keys[k], &values[k]);
        MPI_Win_get_attr(handle, keys[k], &got, &flag);
        CHECK(flag && got == &values[k]);
    }
    MPI_Win_delete_attr(handle, keys[1]);
    CHECK_INT(deleted, 1);
    CHECK_INT(value_seen, 10);
    int new_value = 1000;
    MPI_Win_set_attr(handle, keys[0], &new_value); // deletes the old value
    CHECK_INT(deleted, 2);
    CHECK_INT(value_seen, 11);
    MPI_Win win = handle;
    MPI_Win_free(&win);
    CHECK_INT(deleted, 4);
    CHECK_INT(value_seen, 1111);
    for (int k = 0; k < 3; k++)
        MPI_Win_free_keyval(&keys[k]);
    return csp_test_done();
}
