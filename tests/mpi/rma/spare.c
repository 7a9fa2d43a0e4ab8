// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Freed large windows are kept with their memory for the next ones of the same processes, whatever
// their order; not if the next one is larger: then the small one makes room for it. Nor with
// CSP_SPARE_MAX=0. Usage: spare kept|fresh
#include <string.h>
#include "csp_test_rma.h"

enum { BYTES = 1 << 20, MARK = 77 };

// @return what the first byte was.
static int begin(MPI_Comm comm, MPI_Aint bytes, MPI_Win *win)
{
    char *base;
    int rank, size, value = -1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm, &base, win);
    int first = *(volatile unsigned char *)base;
    memset(base, MARK, (size_t)bytes);
    MPI_Win_fence(0, *win);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 64, 1, MPI_INT, *win);
    MPI_Win_fence(0, *win);
    memcpy(&value, base + 64, sizeof(value));
    CHECK_INT(value, (rank + size - 1) % size);
    MPI_Win_fence(0, *win);
    return first;
}

static int round_of(MPI_Comm comm, MPI_Aint bytes)
{
    MPI_Win win;
    int first = begin(comm, bytes, &win);
    MPI_Win_free(&win);
    return first;
}

static void two_at_a_time(int first, int second)
{
    MPI_Win small, large;
    CHECK_INT(begin(MPI_COMM_WORLD, 2 * BYTES, &small), first);
    CHECK_INT(begin(MPI_COMM_WORLD, 4 * BYTES, &large), second);
    MPI_Win_free(&small);
    MPI_Win_free(&large);
}

int main(int argc, char **argv)
{
    csp_test_init();
    int again = argc > 1 && strcmp(argv[1], "kept") == 0 ? MARK : 0;
    MPI_Comm reversed;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -csp_test_rank, &reversed);
    PHASE("first");
    CHECK_INT(round_of(MPI_COMM_WORLD, BYTES), 0);
    PHASE("again");
    CHECK_INT(round_of(MPI_COMM_WORLD, BYTES), again);
    PHASE("reversed and smaller");
    CHECK_INT(round_of(reversed, BYTES / 2), again);
    PHASE("larger");
    CHECK_INT(round_of(MPI_COMM_WORLD, 4 * BYTES), 0);
    CHECK_INT(round_of(MPI_COMM_WORLD, 4 * BYTES), again);
    PHASE("two at a time");
    two_at_a_time(again, 0); // the small one takes the only spare, which is large
    two_at_a_time(again, again);
    PHASE("other processes");
    CHECK_INT(round_of(MPI_COMM_SELF, BYTES), 0);
    MPI_Comm_free(&reversed);
    return csp_test_done();
}
