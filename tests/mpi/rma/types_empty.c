// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Types with parts that hold no data: an empty block or an empty type inside says nothing of what the data are, nor where
// they lie. Windows of MPI_Win_allocate and of MPI_Win_create.
#include "csp_test_rma.h"

enum { N = 6 };

static MPI_Datatype structure(int blocks, const int *lengths, const MPI_Datatype *types)
{
    const MPI_Aint displs[] = {0, 4, 8};
    MPI_Datatype type;
    MPI_Type_create_struct(blocks, lengths, displs, types, &type);
    MPI_Type_commit(&type);
    return type;
}

// Two integers each, without a gap.
static void make(MPI_Datatype *types)
{
    MPI_Datatype nothing, pair;
    MPI_Type_contiguous(0, MPI_DOUBLE, &nothing);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    types[0] = structure(2, (const int[]){2, 0}, (const MPI_Datatype[]){MPI_INT, MPI_DOUBLE});
    types[1] =
        structure(3, (const int[]){0, 1, 1}, (const MPI_Datatype[]){MPI_DOUBLE, MPI_INT, MPI_INT});
    types[2] = structure(2, (const int[]){1, 3}, (const MPI_Datatype[]){pair, nothing});
    MPI_Type_free(&nothing);
    MPI_Type_free(&pair);
}

// The first integer of an element; the second follows.
static const int first[] = {0, 1, 0};

static void add(MPI_Win win, const int *base, MPI_Datatype type, int at)
{
    const int one[] = {1, 2, 3};
    int next = (csp_test_rank + 1) % csp_test_size, old[3] = {-1, -1, -1};
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    MPI_Accumulate(one, 1, type, next, 0, 1, type, MPI_SUM, win);
    MPI_Win_flush(next, win);
    MPI_Get_accumulate(one, 1, type, old, 1, type, next, 0, 1, type, MPI_SUM, win);
    MPI_Win_unlock(next, win);
    MPI_Barrier(MPI_COMM_WORLD);
    csp_test_own(win, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        int touched = i >= at && i < at + 2;
        CHECK_INT(base[i], touched ? 10 + 2 * one[i] : 10);
        CHECK_INT(old[i], touched ? 10 + one[i] : -1);
    }
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

// An integer, and a part without data far beyond the window, or before it.
static MPI_Datatype integer_beside(MPI_Aint nothing_at)
{
    MPI_Datatype nothing, type;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_create_struct(2, (const int[]){1, 1}, (const MPI_Aint[]){0, nothing_at},
                           (const MPI_Datatype[]){MPI_INT, nothing}, &type);
    MPI_Type_free(&nothing);
    MPI_Type_commit(&type);
    return type;
}

static void reach(MPI_Win win, const int *base, MPI_Aint nothing_at)
{
    MPI_Datatype type = integer_beside(nothing_at);
    const int value = 7;
    int got[N] = {0}, next = (csp_test_rank + 1) % csp_test_size;
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    MPI_Put(&value, 1, MPI_INT, next, 2, 1, type, win);
    MPI_Win_flush(next, win);
    MPI_Get(&got[1], 1, type, next, 2, 1, type, win);
    MPI_Win_flush(next, win);
    MPI_Accumulate(&value, 1, MPI_INT, next, 2, 1, type, MPI_SUM, win);
    MPI_Win_unlock(next, win);
    MPI_Barrier(MPI_COMM_WORLD);
    csp_test_own(win, MPI_COMM_WORLD);
    CHECK_INT(got[1], 7);
    CHECK_INT(base[2], 14);
    csp_test_unown(win, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void run(MPI_Win win, int *base, const MPI_Datatype *types)
{
    reach(win, base, 1 << 20);
    reach(win, base, -64);
    for (int t = 0; t < 3; t++) {
        csp_test_own(win, MPI_COMM_WORLD);
        for (int i = 0; i < N; i++)
            base[i] = 10;
        csp_test_unown(win, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        add(win, base, types[t], first[t]);
    }
    MPI_Win_free(&win);
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    MPI_Datatype types[3];
    int memory[N], *base;
    make(types);
    PHASE("allocated");
    base = csp_test_win_new(sizeof memory, sizeof(int), MPI_COMM_WORLD, &win);
    run(win, base, types);
    PHASE("created");
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    run(win, memory, types);
    for (int t = 0; t < 3; t++)
        MPI_Type_free(&types[t]);
    return csp_test_done();
}
