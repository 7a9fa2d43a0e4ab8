// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// PUT and GET of more than 2^31 bytes at a time, in counts that an int holds and, where the library has them, in large
// counts.
#include "beyond_2g.h"
#include "csp_test_rma.h"

static void put_and_get(char *src, char *got, int target, MPI_Datatype page, MPI_Win win)
{
    PHASE("put");
    beyond_2g_mark(src, 10);
    MPI_Put(src, PAGES, page, target, 0, PAGES, page, win);
    MPI_Win_flush(target, win);
    PHASE("get");
    MPI_Get(got, PAGES, page, target, 0, PAGES, page, win);
    MPI_Win_flush(target, win);
    beyond_2g_check(got, 10);
#if CSP_HAVE_MPI_Put_c
    PHASE("large counts");
    beyond_2g_mark(src, 20);
    MPI_Put_c(src, (MPI_Count)BYTES, MPI_BYTE, target, 0, (MPI_Count)BYTES, MPI_BYTE, win);
    MPI_Win_flush(target, win);
    MPI_Get_c(got, (MPI_Count)BYTES, MPI_BYTE, target, 0, (MPI_Count)BYTES, MPI_BYTE, win);
    MPI_Win_flush(target, win);
    beyond_2g_check(got, 20);
#endif
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
    MPI_Type_contiguous(PAGE, MPI_BYTE, &page);
    MPI_Type_commit(&page);
    if (csp_test_rank == target)
        memset(base, 0, BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (csp_test_rank == 0) {
        char *src = beyond_2g_memory(), *got = beyond_2g_memory();
        put_and_get(src, got, target, page, win);
        munmap(src, BYTES);
        munmap(got, BYTES);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_free(&page);
    MPI_Win_free(&win);
    return csp_test_done();
}
