// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// An error handler leaves its call by longjmp, as C++ programs do by an exception. The process is not in MPI from then on
// for redirection by profile: while it computes, ghosts answer for it.
#include <setjmp.h>
#include "casper_only.h"

enum { LEAVES = 1, MANY = 20 };

static const double COMPUTE_S = 1.6, READ_AFTER_S = 0.8, SOON_S = 0.3;

static jmp_buf back;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    longjmp(back, 1);
}

static void leave_calls(MPI_Comm comm)
{
    static volatile int left;
    int no_rank = csp_test_size, out = 0;
    for (left = 0; left < MANY; left++)
        if (setjmp(back) == 0)
            MPI_Send(&out, 1, MPI_INT, no_rank, 0, comm);
    CHECK_INT(left, MANY);
}

int main(void)
{
    csp_test_init();
    casper_only();
    casper_only_auto();
    csp_test_need(2);
    MPI_Errhandler mine;
    MPI_Comm comm;
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int), sizeof(int), MPI_COMM_WORLD, &win), got = -1;
    csp_test_own(win, MPI_COMM_WORLD);
    *base = csp_test_rank;
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_errhandler(on_error, &mine);
    MPI_Comm_set_errhandler(comm, mine);
    MPI_Win_lock_all(0, win);
    if (csp_test_rank == LEAVES)
        leave_calls(comm);
    MPI_Barrier(MPI_COMM_WORLD);
    if (csp_test_rank == LEAVES) {
        casper_only_work(COMPUTE_S);
    } else {
        casper_only_work(READ_AFTER_S);
        double begin = MPI_Wtime();
        MPI_Get(&got, 1, MPI_INT, LEAVES, 0, 1, MPI_INT, win);
        MPI_Win_flush(LEAVES, win);
        double waited_s = MPI_Wtime() - begin;
        CHECK_INT(got, LEAVES);
        CHECK_MSG(waited_s < SOON_S, "waited %.2f s for a process that computes", waited_s);
    }
    MPI_Win_unlock_all(win);
    MPI_Errhandler_free(&mine);
    MPI_Comm_free(&comm);
    MPI_Win_free(&win);
    return csp_test_done();
}
