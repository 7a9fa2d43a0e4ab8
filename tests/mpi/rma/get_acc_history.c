// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Concurrent MPI_Get_accumulate(SUM, 1) on the same elements: the values fetched by all ranks
// together are exactly 0, 1, 2, ..., each once, so every single update was atomic.
#include "csp_test_rma.h"

enum { N = 3, ROUNDS = 20 };

static void run(enum csp_test_epoch kind, MPI_Win win, int *base, int target)
{
    const int one[N] = {1, 1, 1}, total = ROUNDS * csp_test_size;
    int got[ROUNDS][N], *seen = calloc((size_t)total * N, sizeof(int));
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(int) * N, 0);
    csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
    for (int r = 0; r < ROUNDS; r++)
        MPI_Get_accumulate(one, N, MPI_INT, got[r], N, MPI_INT, target, 0, N, MPI_INT, MPI_SUM,
                           win);
    csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < N; i++) {
            CHECK_MSG(got[r][i] >= 0 && got[r][i] < total, "fetched %d", got[r][i]);
            if (got[r][i] >= 0 && got[r][i] < total)
                seen[got[r][i] * N + i]++;
        }
    MPI_Allreduce(MPI_IN_PLACE, seen, total * N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < total * N; i++)
        CHECK_INT(seen[i], 1);
    if (csp_test_rank == target)
        for (int i = 0; i < N; i++)
            CHECK_INT(base[i], total);
    free(seen);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * N, sizeof(int), MPI_COMM_WORLD, &win);
    FOR_EACH_EPOCH(kind)
    for (int target = 0; target < csp_test_size; target++)
        run(kind, win, base, target);
    MPI_Win_free(&win);
    return csp_test_done();
}
