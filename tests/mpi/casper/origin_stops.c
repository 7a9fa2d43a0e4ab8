// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// An origin leaves MPI with large operations on their way and many small ones behind them. What another one asks of
// the same ghost meanwhile does not wait for it. Windows of MPI_Win_create. The ghosts are stopped while the operations
// begin, or else the large ones would be through before.
#include <signal.h>
#include <unistd.h>

#include "casper_ghosts.h"

enum { LARGE = 1 << 19, LARGES = 4, SMALLS = 40, BYTES = LARGES * LARGE + SMALLS, STOPS_S = 4 };

static const double LIMIT_S = 2; // cores are few where tests run

static long ghosts[CASPER_GHOSTS_MOST];
static int nghosts;

static void signal_ghosts(int signum)
{
    for (int i = 0; i < nghosts; i++)
        kill((pid_t)ghosts[i], signum);
}

static void stop_with_much_under_way(MPI_Win win, int target, const char *data)
{
    signal_ghosts(SIGSTOP);
    for (int i = 0; i < LARGES; i++)
        MPI_Put(data, LARGE, MPI_CHAR, target, (MPI_Aint)i * LARGE, LARGE, MPI_CHAR, win);
    for (int i = 0; i < SMALLS; i++)
        MPI_Put(data, 1, MPI_CHAR, target, (MPI_Aint)LARGES * LARGE + i, 1, MPI_CHAR, win);
    signal_ghosts(SIGCONT);
    sleep(STOPS_S);
    MPI_Win_flush(target, win);
}

static void ask(MPI_Win win, int target)
{
    int one = 1, old = -1;
    sleep(1); // until the other has stopped
    double begin = MPI_Wtime();
    MPI_Fetch_and_op(&one, &old, MPI_INT, target, BYTES, MPI_SUM, win);
    MPI_Win_flush(target, win);
    double took = MPI_Wtime() - begin;
    CHECK_INT(old, 7);
    CHECK_MSG(took < LIMIT_S, "an operation took %.3f s beside an origin that stopped", took);
}

int main(void)
{
    csp_test_init();
    casper_only();
    csp_test_need(4);
    MPI_Win win;
    const int target = csp_test_size - 1; // of another node than the two origins
    char *data = csp_test_malloc(BYTES), *base = csp_test_malloc(BYTES + sizeof(int));
    memset(data, 9, BYTES);
    *(int *)(void *)(base + BYTES) = 7;
    MPI_Win_create(base, BYTES + sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    nghosts = casper_ghosts_find(ghosts);
    CHECK(nghosts > 0);
    MPI_Win_lock_all(0, win);
    MPI_Put(data, 1, MPI_CHAR, target, 0, 1, MPI_CHAR, win); // the first asks for the lock
    MPI_Win_flush(target, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (csp_test_rank == 0)
        stop_with_much_under_way(win, target, data);
    if (csp_test_rank == 1)
        ask(win, target);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; csp_test_rank == target && i < BYTES; i++)
        if (base[i] != 9) {
            FAIL("byte %d is %d", i, base[i]);
            break;
        }
    MPI_Win_free(&win);
    free(data);
    free(base);
    return csp_test_done();
}
