// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A communicator is freed while its messages are under way: its handler is called for their errors all the same.
#include "../csp_test.h"

enum { TIMES = 2 }; // the second error has the same handler

static int raised;

static void on_error(MPI_Comm *c, int *code, ...)
{
    (void)c, (void)code;
    raised++;
}

int main(void)
{
    int in[TIMES] = {0}, out[2] = {1, 2}, class;
    MPI_Comm dup;
    MPI_Errhandler handler;
    MPI_Request sends[TIMES], receives[TIMES];
    csp_test_init();
    const int next_rank = (csp_test_rank + 1) % csp_test_size;
    const int last_rank = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(dup, handler);
    MPI_Errhandler_free(&handler);
    PHASE("freed communicator");
    for (int i = 0; i < TIMES; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, last_rank, i, dup, &receives[i]);
    MPI_Barrier(dup);
    for (int i = 0; i < TIMES; i++)
        MPI_Isend(out, 2, MPI_INT, next_rank, i, dup, &sends[i]);
    MPI_Comm_free(&dup);
    MPI_Waitall(TIMES, sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < TIMES; i++) {
        MPI_Error_class(MPI_Wait(&receives[i], MPI_STATUS_IGNORE), &class);
        CHECK_INT(class, MPI_ERR_TRUNCATE);
        CHECK_INT(raised, i + 1);
    }
    return csp_test_done();
}
