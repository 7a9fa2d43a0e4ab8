// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// PUT and GET of more than 2^31 bytes at a time, in counts that an int holds and, where the library has them, in large
// counts.
#include "beyond_2g_rma.h"

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
    return beyond_2g_rma(MPI_BYTE, put_and_get);
}
