// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Large accumulates in a window of one node, one after the other, do without new pages. Created: memory that an execution needs is
// kept for the next one, and data in one run are read and written where they are. Allocated: data with gaps go by the cache.
#include <sys/resource.h>
#include "casper_only.h"

enum { SMALL = 128 << 10, LARGE = 512 << 10, TIMES = 40, PAGE_INTS = 1024 };

static int origin[LARGE], result[LARGE], *base;
static MPI_Win win;

static long faults(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return use.ru_minflt;
}

static void accumulate(MPI_Datatype type, int count)
{
    MPI_Accumulate(origin, count, type, 0, 0, count, type, MPI_SUM, win);
    MPI_Win_flush(0, win);
    MPI_Get_accumulate(origin, count, type, result, count, type, 0, 0, count, type, MPI_SUM, win);
    MPI_Win_flush(0, win);
}

// @return new pages of this process.
static long many(MPI_Datatype type, int count)
{
    accumulate(type, count);
    const long before = faults();
    for (int i = 0; i < TIMES; i++)
        accumulate(type, count);
    return faults() - before;
}

static void use(int ints)
{
    MPI_Datatype strided;
    MPI_Type_vector(ints / (2 * PAGE_INTS), PAGE_INTS, 2 * PAGE_INTS, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    memset(base, 0, sizeof origin);
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (csp_test_rank == 1) {
        const long one_run = many(MPI_INT, ints), gaps = many(strided, 1);
        CHECK(one_run < ints / PAGE_INTS); // without, about as many for each of the accumulates
        CHECK(gaps < ints / PAGE_INTS);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    for (int i = 0; csp_test_rank == 0 && i < ints; i++)
        CHECK_INT(base[i], i * 2 * (TIMES + 1) * (i / PAGE_INTS % 2 ? 1 : 2));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_free(&strided);
}

static void use_window(void)
{
    MPI_Win_lock_all(0, win);
    use(SMALL);
    use(LARGE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

int main(void)
{
    csp_test_init();
    casper_only();
    if (csp_test_size != 2 || casper_only_nodes() > 1)
        csp_test_skip("needs two users of one node");
    for (int i = 0; i < LARGE; i++)
        origin[i] = i;
    PHASE("created");
    int *own = csp_test_malloc(sizeof origin);
    base = own;
    MPI_Win_create(base, sizeof origin, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    use_window();
    PHASE("allocated");
    MPI_Win_allocate(sizeof origin, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    use_window();
    free(own);
    return csp_test_done();
}
