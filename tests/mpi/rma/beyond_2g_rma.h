// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A window of more than 2^31 bytes at the last process, and what the first does to it.
#ifndef CSP_TEST_BEYOND_2G_RMA_H
#define CSP_TEST_BEYOND_2G_RMA_H

#include "beyond_2g.h"
#include "csp_test_rma.h"

/** Operations by PAGES elements of type `page`, and two places of that size in the first process. */
typedef void beyond_2g_body(char *src, char *got, int target, MPI_Datatype page, MPI_Win win);

/** The whole test. `byte`: what a page is made of. @return exit code. */
static inline int beyond_2g_rma(MPI_Datatype byte, beyond_2g_body *body)
{
    csp_test_init();
    csp_test_need(2);
    csp_test_need_memory(14);
    MPI_Win win;
    MPI_Datatype page;
    int target = csp_test_size - 1;
    char *base =
        csp_test_win_new((MPI_Aint)(csp_test_rank == target ? BYTES : 0), 1, MPI_COMM_WORLD, &win);
    MPI_Type_contiguous(PAGE, byte, &page);
    MPI_Type_commit(&page);
    if (csp_test_rank == target)
        memset(base, 0, BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (csp_test_rank == 0) {
        char *src = beyond_2g_memory(), *got = beyond_2g_memory();
        body(src, got, target, page, win);
        munmap(src, BYTES);
        munmap(got, BYTES);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_free(&page);
    MPI_Win_free(&win);
    return csp_test_done();
}

#endif
