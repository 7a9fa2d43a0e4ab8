// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A dynamic window with a piece of memory for each element of a list, as distributed data structures have: attaching, operations
// on one's own memory and detaching take no longer because there are many.
#include "casper_only.h"

enum { PIECES = 100000, STEP = 2, EACH = 97 };

static const double ENOUGH_S = 10;

static long memory[PIECES * STEP];

static void put_to_myself(MPI_Win win)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, csp_test_rank, 0, win);
    for (long i = 0; i < PIECES; i += EACH) {
        MPI_Aint at;
        MPI_Get_address(&memory[i * STEP], &at);
        MPI_Put(&i, 1, MPI_LONG, csp_test_rank, at, 1, MPI_LONG, win);
    }
    MPI_Win_unlock(csp_test_rank, win);
    for (long i = 0; i < PIECES; i += EACH)
        CHECK_MSG(memory[i * STEP] == i, "piece %ld has %ld", i, memory[i * STEP]);
}

int main(void)
{
    MPI_Win win;
    csp_test_init();
    casper_only();
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    double begin = MPI_Wtime();
    for (long i = 0; i < PIECES; i++)
        MPI_Win_attach(win, &memory[i * STEP], sizeof(long));
    put_to_myself(win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    CHECK_CLASS(MPI_Win_attach(win, memory, sizeof(memory)), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_attach(win, &memory[STEP], 1), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_attach(win, &memory[1], 0), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_attach(win, &memory[1], sizeof(long)), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_detach(win, &memory[1]), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_detach(win, &memory[1]), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_detach(win, &memory[1]), MPI_ERR_BASE);
    for (long i = PIECES - 1; i >= 0; i -= 2)
        CHECK_CLASS(MPI_Win_detach(win, &memory[i * STEP]), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_detach(win, &memory[(PIECES - 1) * STEP]), MPI_ERR_BASE);
    double took = MPI_Wtime() - begin;
    CHECK_MSG(took < ENOUGH_S, "it took %.1f s", took);
    MPI_Win_free(&win);
    return csp_test_done();
}
