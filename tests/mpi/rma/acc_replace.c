// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_REPLACE of long rows of pairs by everybody at once, MPI_NO_OP of one of them: value and index of a pair are those of
// one origin.
#include "csp_test_rma.h"

enum { PAIRS = 100000, ROUNDS = 25 };

struct pair {
    double value;
    int index;
};

static MPI_Datatype row_type(void)
{
    MPI_Datatype type;
    MPI_Type_contiguous(PAIRS, MPI_DOUBLE_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

// Pairs that lie about where an implementation would cut a row: around powers of two of the data, and the last one.
static void look(MPI_Win win, int round)
{
    static const int at[] = {43690, 43691, 21845, 87381, PAIRS - 1};
    struct pair got = {-1, -2};
    int i = at[round % 5];
    MPI_Get_accumulate(NULL, 0, MPI_DOUBLE_INT, &got, 1, MPI_DOUBLE_INT, 0, i, 1, MPI_DOUBLE_INT,
                       MPI_NO_OP, win);
    MPI_Win_flush(0, win);
    if ((int)got.value != got.index)
        FAIL("pair %d is (%g, %d)", i, got.value, got.index);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    MPI_Datatype type = row_type();
    MPI_Aint bytes = csp_test_rank == 0 ? PAIRS * (MPI_Aint)sizeof(struct pair) : 0;
    struct pair *base = csp_test_win_new(bytes, sizeof *base, MPI_COMM_WORLD, &win);
    struct pair *row = csp_test_malloc(PAIRS * sizeof *row);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, bytes, 0);
    MPI_Win_lock_all(0, win);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < PAIRS; i++)
            row[i] = (struct pair){round * csp_test_size + csp_test_rank,
                                   round * csp_test_size + csp_test_rank};
        if (csp_test_rank > 0)
            MPI_Accumulate(row, 1, type, 0, 0, 1, type, MPI_REPLACE, win);
        look(win, round);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_free(&type);
    MPI_Win_free(&win);
    free(row);
    return csp_test_done();
}
