// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Readers with shared locks and writers with exclusive ones: no reader ever sees a half-written
// record, and all writes are there at the end.
#include "csp_test_rma.h"

enum { ROUNDS = 10, N = 32 };

static void write_record(MPI_Win win, int target)
{
    int v[N];
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Get(v, N, MPI_INT, target, 0, N, MPI_INT, win);
    MPI_Win_flush(target, win);
    for (int i = 0; i < N; i++)
        v[i]++;
    MPI_Put(v, N / 2, MPI_INT, target, 0, N / 2, MPI_INT, win);
    MPI_Win_flush(target, win);
    MPI_Put(v + N / 2, N / 2, MPI_INT, target, N / 2, N / 2, MPI_INT, win);
    MPI_Win_unlock(target, win);
}

static void read_record(MPI_Win win, int target)
{
    int v[N], last;
    csp_test_poison(v, sizeof v);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Get(&last, 1, MPI_INT, target, N - 1, 1, MPI_INT, win);
    MPI_Win_flush(target, win);
    MPI_Get(v, N, MPI_INT, target, 0, N, MPI_INT, win);
    MPI_Win_unlock(target, win);
    for (int i = 0; i < N; i++)
        CHECK_INT(v[i], last);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * N, sizeof(int), MPI_COMM_WORLD, &win);
    for (int target = 0; target < csp_test_size; target++) {
        csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(int) * N, 0);
        for (int r = 0; r < ROUNDS; r++) {
            if ((csp_test_rank + r) % 2)
                write_record(win, target);
            else
                read_record(win, target);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        csp_test_own(win, MPI_COMM_WORLD);
        int want = csp_test_rank == target ? ROUNDS * csp_test_size / 2 : 0;
        CHECK_INT(base[0], want);
        CHECK_INT(base[N - 1], want);
        csp_test_unown(win, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
