// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Displacement units that differ from rank to rank: the target's unit counts, for every operation.
#include "csp_test_rma.h"

enum { N = 32 };

static int unit(int rank)
{
    static const int units[] = {1, 4, 8, 16};
    return units[rank % 4];
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int bytes = 16 * N * csp_test_size, got[3], *flag_unit, flag;
    const int one = 1, zero = 0;
    char *base = csp_test_win_new(bytes, unit(csp_test_rank), MPI_COMM_WORLD, &win);
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &flag_unit, &flag);
    CHECK(flag && *flag_unit == unit(csp_test_rank));
    FOR_EACH_EPOCH(kind)
    {
        csp_test_win_fill(win, MPI_COMM_WORLD, base, bytes, 0);
        csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
        for (int t = 0; t < csp_test_size; t++) {
            MPI_Aint at = (MPI_Aint)16 * N * csp_test_rank / unit(t), step = 16 / unit(t);
            MPI_Put(&one, 1, MPI_INT, t, at, 1, MPI_INT, win);
            MPI_Accumulate(&one, 1, MPI_INT, t, at + step, 1, MPI_INT, MPI_SUM, win);
            MPI_Get_accumulate(&one, 1, MPI_INT, &got[0], 1, MPI_INT, t, at + 2 * step, 1, MPI_INT,
                               MPI_SUM, win);
            MPI_Fetch_and_op(&one, &got[1], MPI_INT, t, at + 3 * step, MPI_SUM, win);
            MPI_Compare_and_swap(&one, &zero, &got[2], MPI_INT, t, at + 4 * step, win);
        }
        csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
        for (int i = 0; i < 16 * N * csp_test_size / 4; i++) {
            int value, slot = i / 4 % N, first = i % 4 == 0;
            memcpy(&value, base + 4 * i, sizeof value);
            CHECK_INT(value, first && slot < 5);
        }
    }
    MPI_Win_free(&win);
    return csp_test_done();
}
