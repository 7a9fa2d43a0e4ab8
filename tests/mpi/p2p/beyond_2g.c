// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A message of more than 2^31 bytes, in a count that an int holds.
#include "beyond_2g.h"

static void receive(char *p, MPI_Datatype page)
{
    MPI_Status status;
    MPI_Count bytes = 0;
    int n = 0;
    MPI_Recv(p, PAGES, page, 0, 3, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, page, &n);
    CHECK_INT(n, PAGES);
    MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    CHECK(bytes == (MPI_Count)BYTES);
    beyond_2g_check(p, 1);
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    csp_test_need_memory(8);
    MPI_Datatype page;
    char *p = beyond_2g_memory();
    MPI_Type_contiguous(PAGE, MPI_BYTE, &page);
    MPI_Type_commit(&page);
    if (csp_test_rank == 0) {
        beyond_2g_mark(p, 1);
        MPI_Send(p, PAGES, page, csp_test_size - 1, 3, MPI_COMM_WORLD);
    } else if (csp_test_rank == csp_test_size - 1) {
        receive(p, page);
    }
    MPI_Type_free(&page);
    munmap(p, BYTES);
    return csp_test_done();
}
