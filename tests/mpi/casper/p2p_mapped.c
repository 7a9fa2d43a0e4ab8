// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Messages from memory that ghosts map into such memory take no copy by the system, whoever waits: of MPI_Alloc_mem, and of
// windows. With an argument: from the program's own memory, where they do. The runner looks at what copies_tool.c says.
#include "casper_only.h"

enum { ROUNDS = 3, SIZES = 3, MOST = 1 << 20 };

static const int sizes[SIZES] = {20000, 100000, MOST}; // bytes: with the envelope, and behind it

static int value(int rank, int round, int i)
{
    return 1000 * rank + 100 * round + i;
}

// With the next and the previous rank: on the other node, or here.
static void turn(int *out, int *in, int bytes, int distance, int round)
{
    const int n = bytes / (int)sizeof(int), size = csp_test_size;
    const int to = (csp_test_rank + distance) % size,
              from = (csp_test_rank + size - distance) % size;
    MPI_Request r[2];
    for (int i = 0; i < n; i++) {
        out[i] = value(csp_test_rank, round, i);
        in[i] = -1;
    }
    MPI_Irecv(in, n, MPI_INT, from, round, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, n, MPI_INT, to, round, MPI_COMM_WORLD, &r[1]);
    if (round > 0) // else it is waited for at once
        casper_only_compute(0.01);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++)
        CHECK_INT(in[i], value(from, round, i));
}

static void all_turns(int *out, int *in)
{
    for (int distance = 1; distance < csp_test_size; distance++)
        for (int s = 0; s < SIZES; s++)
            for (int round = 0; round < ROUNDS; round++)
                turn(out, in, sizes[s], distance, round);
}

static void of_alloc_mem(void)
{
    int *buf = NULL;
    PHASE("MPI_Alloc_mem");
    MPI_Alloc_mem(2 * MOST, MPI_INFO_NULL, (void *)&buf);
    all_turns(buf, buf + MOST / sizeof(int));
    MPI_Free_mem(buf);
}

static void of_windows(void)
{
    MPI_Win win = MPI_WIN_NULL;
    PHASE("window");
    int *base = csp_test_win_new(2 * MOST, sizeof(int), MPI_COMM_WORLD, &win);
    all_turns(base, base + MOST / sizeof(int));
    MPI_Win_free(&win);
}

static void of_its_own(void)
{
    int *buf = malloc(2 * (size_t)MOST);
    PHASE("malloc");
    all_turns(buf, buf + MOST / sizeof(int));
    free(buf);
}

int main(int argc, char **argv)
{
    (void)argv;
    csp_test_init();
    casper_only();
    if (argc > 1) {
        of_its_own();
    } else {
        of_alloc_mem();
        of_windows();
    }
    return csp_test_done();
}
