// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Memory of all sorts on either side: of a window, of MPI_Alloc_mem, of the heap, of the stack, of the program itself.
#include "../csp_test.h"

enum { MOST = 300000, KINDS = 5, STACK_BYTES = MOST };

static const int sizes[] = {100, 3000, 10000, MOST};
static char own[2][MOST];
static int next_rank, last_rank;

static void exchange(char *out, char *in, int bytes, int from, int to)
{
    MPI_Request r[2];
    MPI_Status s[2];
    memset(in, CSP_TEST_POISON, (size_t)bytes);
    memset(out, from * 16 + to * 2 + csp_test_rank, (size_t)bytes);
    MPI_Irecv(in, bytes, MPI_CHAR, last_rank, from * KINDS + to, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, bytes, MPI_CHAR, next_rank, from * KINDS + to, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, s);
    for (int i = 0; i < bytes; i += bytes - 1)
        CHECK_MSG(in[i] == (char)(from * 16 + to * 2 + last_rank),
                  "%d bytes of memory %d to memory %d: byte %d is wrong", bytes, from, to, i);
}

int main(void)
{
    char stack[2][STACK_BYTES], *shared, *allocated;
    MPI_Win win;
    csp_test_init();
    csp_test_need(2);
    next_rank = (csp_test_rank + 1) % csp_test_size;
    last_rank = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    MPI_Win_allocate(2 * MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &win);
    MPI_Alloc_mem(2 * MOST, MPI_INFO_NULL, &allocated);
    char *heap = csp_test_malloc(2 * (size_t)MOST);
    char *memory[KINDS][2] = {{shared, shared + MOST},
                              {allocated, allocated + MOST},
                              {heap, heap + MOST},
                              {stack[0], stack[1]},
                              {own[0], own[1]}};
    PHASE("buffers differ");
    for (size_t s = 0; s < 2 * (sizeof sizes / sizeof *sizes); s++) {
        for (int from = 0; from < KINDS; from++)
            for (int to = 0; to < KINDS; to++)
                exchange(memory[from][0], memory[to][1], sizes[s / 2], from, to);
        MPI_Barrier(MPI_COMM_WORLD); // with CSP_P2P=auto the messages go another way from here on
    }
    free(heap);
    MPI_Free_mem(allocated);
    MPI_Win_free(&win);
    return csp_test_done();
}
