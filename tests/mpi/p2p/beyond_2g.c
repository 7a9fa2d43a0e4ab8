// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A message of more than 2^31 bytes, in a count that an int holds. Most of the sender's memory is never written: the
// system shows one page of zeros everywhere.
#include <sys/mman.h>
#include "csp_test.h"

enum { PAGE = 4096, PAGES = (1 << 19) + 2, MARKS = 5 };

static const size_t BYTES = (size_t)PAGE * PAGES, MIDDLE = (size_t)1 << 31;

static char *memory(void)
{
    char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED)
        csp_test_skip("there is not so much memory");
    return p;
}

static void receive(char *p, MPI_Datatype page, const size_t marks[MARKS])
{
    MPI_Status status;
    MPI_Count bytes = 0;
    int n = 0;
    long others = 0;
    MPI_Recv(p, PAGES, page, 0, 3, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, page, &n);
    CHECK_INT(n, PAGES);
    MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    CHECK(bytes == (MPI_Count)BYTES);
    for (int i = 0; i < MARKS; i++)
        CHECK_INT(p[marks[i]], i + 1);
    for (size_t i = 1; i < BYTES; i += PAGE) // none of them is marked
        others += p[i] != 0;
    CHECK_INT(others, 0);
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    csp_test_need_memory(8);
    const size_t marks[MARKS] = {0, PAGE - 1, MIDDLE - 1, MIDDLE, BYTES - 1};
    MPI_Datatype page;
    char *p = memory();
    MPI_Type_contiguous(PAGE, MPI_BYTE, &page);
    MPI_Type_commit(&page);
    for (int i = 0; csp_test_rank == 0 && i < MARKS; i++)
        p[marks[i]] = (char)(i + 1);
    if (csp_test_rank == 0)
        MPI_Send(p, PAGES, page, csp_test_size - 1, 3, MPI_COMM_WORLD);
    else if (csp_test_rank == csp_test_size - 1)
        receive(p, page, marks);
    MPI_Type_free(&page);
    munmap(p, BYTES);
    return csp_test_done();
}
