// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Error handlers of a window: the default is fatal, a set one comes back by get; a user function
// gets the program's window handle and a code of the right class, and may call MPI.
#include "csp_test_rma.h"

static int calls, last_class;
static MPI_Win expected;

static void on_error(MPI_Win *win, int *code, ...)
{
    int size = -1;
    calls++;
    CHECK(*win == expected);
    MPI_Error_class(*code, &last_class);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_INT(size, csp_test_size);
}

int main(void)
{
    csp_test_init();
    MPI_Errhandler mine, got;
    int value = 1;
    csp_test_win_new(64, 4, MPI_COMM_WORLD, &expected);
    MPI_Win_get_errhandler(expected, &got);
    CHECK(got == MPI_ERRORS_ARE_FATAL);
    MPI_Win_create_errhandler(on_error, &mine);
    MPI_Win_set_errhandler(expected, mine);
    MPI_Win_get_errhandler(expected, &got);
    CHECK(got == mine);
    MPI_Errhandler_free(&got);
    MPI_Win_lock_all(0, expected);
    MPI_Put(&value, 1, MPI_INT, csp_test_size + 3, 0, 1, MPI_INT, expected);
    CHECK_INT(calls, 1);
    CHECK_INT(last_class, MPI_ERR_RANK);
    MPI_Win_call_errhandler(expected, MPI_ERR_OTHER);
    CHECK_INT(calls, 2);
    CHECK_INT(last_class, MPI_ERR_OTHER);
    value = 5;
    MPI_Put(&value, 1, MPI_INT, csp_test_rank, 0, 1, MPI_INT, expected);
    MPI_Win_unlock_all(expected);
    CHECK_INT(calls, 2);
    MPI_Win_set_errhandler(expected, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&mine);
    MPI_Win_lock_all(0, expected);
    CHECK(MPI_Put(&value, 1, MPI_INT, csp_test_size, 0, 1, MPI_INT, expected) != MPI_SUCCESS);
    MPI_Win_unlock_all(expected);
    CHECK_INT(calls, 2);
    MPI_Win_free(&expected);
    return csp_test_done();
}
