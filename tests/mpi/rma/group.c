// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The group of a window equals that of its communicator, in order; it is a copy, to be freed.
#include "csp_test_rma.h"

static void check(MPI_Comm comm)
{
    MPI_Win win;
    MPI_Group of_win, of_comm, again;
    int result = -1, size, rank, want_size, want_rank;
    csp_test_win_new(64, 1, comm, &win);
    MPI_Win_get_group(win, &of_win);
    MPI_Comm_group(comm, &of_comm);
    MPI_Group_compare(of_win, of_comm, &result);
    CHECK_INT(result, MPI_IDENT);
    MPI_Group_size(of_win, &size);
    MPI_Group_rank(of_win, &rank);
    MPI_Comm_size(comm, &want_size);
    MPI_Comm_rank(comm, &want_rank);
    CHECK_INT(size, want_size);
    CHECK_INT(rank, want_rank);
    for (int i = 0; i < size; i++) {
        int translated = -1;
        MPI_Group_translate_ranks(of_win, 1, &i, of_comm, &translated);
        CHECK_INT(translated, i);
    }
    MPI_Group_free(&of_win);
    MPI_Win_get_group(win, &again);
    MPI_Group_compare(again, of_comm, &result);
    CHECK_INT(result, MPI_IDENT);
    MPI_Group_free(&again);
    MPI_Group_free(&of_comm);
    MPI_Win_free(&win);
}

int main(void)
{
    csp_test_init();
    MPI_Comm comm;
    check(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, csp_test_rank % 2, -csp_test_rank, &comm);
    check(comm);
    MPI_Comm_free(&comm);
    check(MPI_COMM_SELF);
    return csp_test_done();
}
