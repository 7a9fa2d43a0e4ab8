// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// An operation on an address of a dynamic window that nobody may touch: an error of the class that MPI has for
// it at the origin, for every kind of operation; nobody hangs, and the window works afterwards. What the same flush
// completes at other ghosts is complete all the same.
#include <sys/mman.h>

#include "casper_only.h"

enum { BYTES = 1 << 16, LONG = 1 << 17 };

static const int one = 1;
static int result, given[LONG], taken[2][LONG];

static int issue(int op, MPI_Win win, int target, MPI_Aint at)
{
    switch (op) {
    case 0:
        return MPI_Put(&one, 1, MPI_INT, target, at, 1, MPI_INT, win);
    case 1:
        return MPI_Get(&result, 1, MPI_INT, target, at, 1, MPI_INT, win);
    case 2:
        return MPI_Accumulate(&one, 1, MPI_INT, target, at, 1, MPI_INT, MPI_SUM, win);
    case 3:
        return MPI_Fetch_and_op(&one, &result, MPI_INT, target, at, MPI_SUM, win);
    default:
        return MPI_Compare_and_swap(&one, &one, &result, MPI_INT, target, at, win);
    }
}

// Raised by the operation or by the flush.
static int outcome(int op, MPI_Win win, int target, MPI_Aint at)
{
    int first = issue(op, win, target, at), flushed = MPI_Win_flush(target, win);
    return first != MPI_SUCCESS ? first : flushed;
}

// A flush with an error at one ghost; what another got is read from the program's memory until the flush returns.
static void flush_both(MPI_Win win, MPI_Aint bad)
{
    int pair = (csp_test_rank ^ 2) & ~1,
        mine = csp_test_rank & 1; // of another node, if there are two
    MPI_Aint at, holes[4], places[4];
    MPI_Win_attach(win, taken, sizeof taken);
    MPI_Get_address(taken, &at);
    MPI_Allgather(&bad, 1, MPI_AINT, holes, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Allgather(&at, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD);
    for (int i = 0; i < LONG; i++)
        given[i] = csp_test_rank * LONG + i;
    MPI_Win_lock_all(0, win);
    int rc = MPI_Put(&one, 1, MPI_INT, pair, holes[pair], 1, MPI_INT, win);
    MPI_Aint to = MPI_Aint_add(places[pair + 1], mine * (MPI_Aint)sizeof taken[0]);
    CHECK_CLASS(MPI_Put(given, LONG, MPI_INT, pair + 1, to, LONG, MPI_INT, win), MPI_SUCCESS);
    int flushed = MPI_Win_flush_all(win);
    csp_test_poison(given, sizeof given);
    CHECK_CLASS(rc == MPI_SUCCESS ? flushed : rc, MPI_ERR_RMA_RANGE);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int from = 0; (csp_test_rank & 1) && from < 2; from++)
        for (int i = 0; i < LONG; i++)
            CHECK_INT(taken[from][i], ((csp_test_rank ^ 2) - 1 + from) * LONG + i);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, taken);
}

// The error comes with MPI_Win_free on one process, from another node; the others do not wait for ever.
static void free_with_error(MPI_Aint bad)
{
    MPI_Win win;
    const int target = csp_test_size - 1;
    MPI_Bcast(&bad, 1, MPI_AINT, target, MPI_COMM_WORLD);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, win);
    int rc = MPI_SUCCESS;
    if (csp_test_rank == 0)
        rc = MPI_Put(&one, 1, MPI_INT, target, bad, 1, MPI_INT, win);
    int freed = MPI_Win_free(&win);
    CHECK_CLASS(rc == MPI_SUCCESS ? freed : rc, csp_test_rank ? MPI_SUCCESS : MPI_ERR_RMA_RANGE);
    CHECK_INT(win == MPI_WIN_NULL, 1);
}

int main(void)
{
    csp_test_init();
    casper_only();
    MPI_Win win;
    MPI_Aint good, bad, all[2], theirs[2];
    int target = (csp_test_rank + 1) % csp_test_size, memory[2] = {0};
    void *hole = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); // nobody else's
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_attach(win, memory, sizeof memory);
    MPI_Get_address(memory, &good);
    MPI_Get_address(hole, &bad);
    all[0] = good, all[1] = bad;
    MPI_Sendrecv(all, 2, MPI_AINT, (csp_test_rank + csp_test_size - 1) % csp_test_size, 0, theirs,
                 2, MPI_AINT, target, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock_all(0, win);
    for (int op = 0; op < 5; op++)
        CHECK_CLASS(outcome(op, win, target, theirs[1]), MPI_ERR_RMA_RANGE);
    for (int op = 0; op < 5; op++)
        CHECK_CLASS(outcome(op, win, target, theirs[0]), MPI_SUCCESS);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(memory[0], 3); // PUT 1, ACC and FOP 1 more each; CAS finds no 1
    MPI_Win_detach(win, memory);
    if (csp_test_size == 4)
        flush_both(win, bad);
    MPI_Win_free(&win);
    PHASE("free with an error");
    free_with_error(bad);
    return csp_test_done();
}
