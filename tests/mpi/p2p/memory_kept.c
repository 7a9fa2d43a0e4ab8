// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Memory of MPI_Alloc_mem that was not freed is the program's to its end, as what MPI libraries give is.
#include "../csp_test.h"

enum { COUNT = 1 << 18 };

int main(void)
{
    int *kept, *freed;
    csp_test_init();
    MPI_Alloc_mem(COUNT * sizeof(int), MPI_INFO_NULL, &kept);
    MPI_Alloc_mem(COUNT * sizeof(int), MPI_INFO_NULL, &freed);
    for (int i = 0; i < COUNT; i++)
        kept[i] = freed[i] = i;
    MPI_Free_mem(freed);
    MPI_Finalize();
    for (int i = 0; i < COUNT; i++)
        if (kept[i] != i)
            return 1;
    return csp_test_errors != 0;
}
