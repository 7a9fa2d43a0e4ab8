// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Win_allocate_shared over the processes of a node: parts of several sizes, contiguous or not, found by
// MPI_Win_shared_query; stores of one are seen by the others; RMA operations are right beside them.
#include "csp_test_rma.h"

static MPI_Comm node;
static int rank, size; // on the node
static int contiguous; // else a library may round sizes up (Open MPI does, to pages)

enum { LINE = 64 };

// Rank 0 has no memory.
static MPI_Aint part_bytes(int r)
{
    return (MPI_Aint)LINE * r;
}

static char *query(MPI_Win win, int r, MPI_Aint want)
{
    MPI_Aint bytes = -1;
    int unit = -1;
    char *base = NULL;
    MPI_Win_shared_query(win, r, &bytes, &unit, &base);
    CHECK_MSG(contiguous ? bytes == want : bytes >= want, "rank %d has %ld bytes, not %ld", r,
              (long)bytes, (long)want);
    CHECK_INT(unit, sizeof(int));
    return base;
}

static MPI_Win make(void)
{
    MPI_Win win;
    MPI_Info info;
    int *base = NULL, flag = 0, *flavor;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", contiguous ? "false" : "true");
    MPI_Win_allocate_shared(part_bytes(rank), sizeof(int), info, node, &base, &win);
    MPI_Info_free(&info);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
    CHECK(flag && *flavor == MPI_WIN_FLAVOR_SHARED);
    if (rank > 0) {
        CHECK((char *)base == query(win, rank, part_bytes(rank)));
        CHECK_INT((uintptr_t)base % sizeof(int), 0);
        csp_test_poison(base, (size_t)part_bytes(rank));
    }
    MPI_Barrier(node);
    return win;
}

static void addresses(MPI_Win win)
{
    PHASE("addresses");
    if (size > 1)
        CHECK(query(win, MPI_PROC_NULL, part_bytes(1)) == query(win, 1, part_bytes(1)));
    for (int r = 1; contiguous && r + 1 < size; r++)
        CHECK(query(win, r, part_bytes(r)) + part_bytes(r) == query(win, r + 1, part_bytes(r + 1)));
}

// All ranks but the one without memory write a word to each of them.
static void stores(MPI_Win win)
{
    PHASE("stores");
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int r = 1; rank > 0 && r < size; r++)
        ((volatile int *)query(win, r, part_bytes(r)))[rank] = 100 * r + rank;
    MPI_Win_sync(win);
    MPI_Barrier(node);
    MPI_Win_sync(win);
    for (int r = 1; r < size; r++) {
        const volatile int *at = (const volatile int *)query(win, r, part_bytes(r));
        for (int w = 1; w < size; w++)
            CHECK_INT(at[w], 100 * r + w);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(node);
}

enum { SUM = LINE / 4 - 1, FETCHED = SUM - 1, PUTS = FETCHED - 4 };

static void operations(MPI_Win win)
{
    const int one = 1, word = 1000 + rank;
    int got, last = size - 1, old = -1;
    PHASE("operations");
    if (rank == last)
        for (int i = PUTS; i <= SUM; i++)
            ((int *)query(win, last, part_bytes(last)))[i] = 0;
    MPI_Win_fence(0, win);
    if (rank < 4)
        MPI_Put(&word, 1, MPI_INT, last, PUTS + rank, 1, MPI_INT, win);
    MPI_Accumulate(&one, 1, MPI_INT, last, SUM, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_lock(MPI_LOCK_SHARED, last, 0, win);
    MPI_Fetch_and_op(&one, &old, MPI_INT, last, FETCHED, MPI_SUM, win);
    MPI_Get(&got, 1, MPI_INT, last, SUM, 1, MPI_INT, win);
    MPI_Win_unlock(last, win);
    CHECK(old >= 0 && old < size);
    CHECK_INT(got, size);
    MPI_Barrier(node);
    MPI_Win_lock(MPI_LOCK_SHARED, last, 0, win);
    const int *at = (const int *)query(win, last, part_bytes(last));
    CHECK_INT(at[FETCHED], size);
    for (int r = 0; r < size && r < 4; r++)
        CHECK_INT(at[PUTS + r], 1000 + r);
    MPI_Win_unlock(last, win);
    MPI_Barrier(node);
}

int main(void)
{
    csp_test_init();
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    for (contiguous = 0; contiguous < 2 && size > 1; contiguous++) {
        MPI_Win win = make();
        addresses(win);
        stores(win);
        operations(win);
        MPI_Win_free(&win);
    }
    MPI_Comm_free(&node);
    return csp_test_done();
}
