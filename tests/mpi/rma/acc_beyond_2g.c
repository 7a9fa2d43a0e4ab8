// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Accumulates of more than 2^31 bytes at a time. (Plain MPICH 5 ends by an assertion between nodes.)
#include "beyond_2g_rma.h"

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
    return beyond_2g_rma(MPI_SIGNED_CHAR, accumulate);
}
