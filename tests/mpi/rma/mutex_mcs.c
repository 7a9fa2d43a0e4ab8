// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A queue lock made of atomics (MCS), as portable programs build it: FETCH_AND_OP(REPLACE) to queue
// up, a flag in one's own memory to wait for, CAS to leave. It protects a plain counter.
#include "csp_test_rma.h"

enum { TAIL, NEXT, LOCKED, COUNTER, WORDS, ROUNDS = 8 };

static int fetch(MPI_Win win, int target, int word, int value, MPI_Op op)
{
    int old = -2;
    MPI_Fetch_and_op(&value, &old, MPI_INT, target, word, op, win);
    MPI_Win_flush(target, win);
    return old;
}

static void acquire(MPI_Win win)
{
    int me = csp_test_rank;
    fetch(win, me, NEXT, -1, MPI_REPLACE);
    fetch(win, me, LOCKED, 1, MPI_REPLACE);
    int before = fetch(win, 0, TAIL, me, MPI_REPLACE);
    if (before < 0)
        return;
    fetch(win, before, NEXT, me, MPI_REPLACE);
    while (fetch(win, me, LOCKED, 0, MPI_NO_OP))
        continue;
}

static void release(MPI_Win win)
{
    int me = csp_test_rank, none = -1, found = -2, next;
    MPI_Compare_and_swap(&none, &me, &found, MPI_INT, 0, TAIL, win);
    MPI_Win_flush(0, win);
    if (found == me)
        return;
    while ((next = fetch(win, me, NEXT, 0, MPI_NO_OP)) < 0)
        continue;
    fetch(win, next, LOCKED, 0, MPI_REPLACE);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * WORDS, sizeof(int), MPI_COMM_WORLD, &win);
    csp_test_own(win, MPI_COMM_WORLD);
    base[TAIL] = base[NEXT] = -1;
    base[LOCKED] = base[COUNTER] = 0;
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int r = 0; r < ROUNDS; r++) {
        int v = -1;
        acquire(win);
        MPI_Get(&v, 1, MPI_INT, 0, COUNTER, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        v++;
        MPI_Put(&v, 1, MPI_INT, 0, COUNTER, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        release(win);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    csp_test_own(win, MPI_COMM_WORLD);
    CHECK_INT(base[COUNTER], csp_test_rank == 0 ? ROUNDS * csp_test_size : 0);
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return csp_test_done();
}
