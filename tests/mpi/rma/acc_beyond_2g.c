// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Accumulates of more than 2^31 bytes at a time. (Plain MPICH 5 ends by an assertion between nodes.)
#include "beyond_2g.h"
#include "csp_test_rma.h"

static void accumulate(char *src, char *got, int target, MPI_Datatype page, MPI_Win win)
{
    PHASE("replace");
    beyond_2g_mark(src, 10);
    MPI_Accumulate(src, PAGES, page, target, 0, PAGES, page, MPI_REPLACE, win);
    MPI_Win_flush(target, win);
    PHASE("get and add");
    beyond_2g_mark(src, 20);
    MPI_Get_accumulate(src, PAGES, page, got, PAGES, page, target, 0, PAGES, page, MPI_SUM, win);
    MPI_Win_flush(target, win);
    beyond_2g_check(got, 10);
    PHASE("get");
    MPI_Get(got, PAGES, page, target, 0, PAGES, page, win);
    MPI_Win_flush(target, win);
    for (int i = 0; i < MARKS; i++)
        CHECK_INT(got[beyond_2g_place(i)], 30 + 2 * i);
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    csp_test_need_memory(14);
    MPI_Win win;
    MPI_Datatype page;
    int target = csp_test_size - 1;
    char *base =
        csp_test_win_new((MPI_Aint)(csp_test_rank == target ? BYTES : 0), 1, MPI_COMM_WORLD, &win);
    MPI_Type_contiguous(PAGE, MPI_SIGNED_CHAR, &page);
    MPI_Type_commit(&page);
    if (csp_test_rank == target)
        memset(base, 0, BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (csp_test_rank == 0) {
        char *src = beyond_2g_memory(), *got = beyond_2g_memory();
        accumulate(src, got, target, page, win);
        munmap(src, BYTES);
        munmap(got, BYTES);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_free(&page);
    MPI_Win_free(&win);
    return csp_test_done();
}
