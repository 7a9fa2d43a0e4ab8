// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Operations that are complete at their origin reach their target without another call for them: the origin waits for an
// answer of the target's, which comes when the target has seen the last of them. Many small ones, close upon each other.
#include <string.h>
#include "csp_test_rma.h"

enum { N = 8, TAG = 3, LIMIT_S = 10 };

static long *base;
static MPI_Win win;
static int peer;

static void flush_local(void)
{
    MPI_Win_flush_local(peer, win);
}

static void flush_local_all(void)
{
    MPI_Win_flush_local_all(win);
}

static void sync_window(void)
{
    MPI_Win_sync(win);
}

static void flush_another(void)
{
    MPI_Win_flush(csp_test_rank, win);
}

static void wait_for_another(void)
{
    MPI_Request request;
    const long value = 0;
    MPI_Raccumulate(&value, 1, MPI_LONG, peer, 0, 1, MPI_LONG, MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void test_another(void)
{
    MPI_Request request;
    const long value = 0;
    int flag = 0;
    MPI_Rput(&value, 1, MPI_LONG, peer, 0, 1, MPI_LONG, win, &request);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static void ask_size(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

// The last one to arrive.
static void give(long value, void (*end)(void))
{
    long answer = 0;
    for (int i = 1; i < N; i++)
        MPI_Accumulate(&value, 1, MPI_LONG, peer, i, 1, MPI_LONG, MPI_REPLACE, win);
    end();
    MPI_Recv(&answer, 1, MPI_LONG, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(answer, value);
    MPI_Win_flush(peer, win);
}

// The answer comes in any case, so that the origin ends; late it is wrong.
static void take(long value)
{
    long seen = 0;
    double begin = MPI_Wtime();
    while (seen != value && MPI_Wtime() - begin < LIMIT_S) {
        MPI_Fetch_and_op(NULL, &seen, MPI_LONG, csp_test_rank, N - 1, MPI_NO_OP, win);
        MPI_Win_flush(csp_test_rank, win);
    }
    MPI_Send(&seen, 1, MPI_LONG, peer, TAG, MPI_COMM_WORLD);
}

static void run(void)
{
    static const struct {
        const char *name;
        void (*end)(void);
    } ends[] = {{"flush_local", flush_local},
                {"flush_local_all", flush_local_all},
                {"sync", sync_window},
                {"flush of another", flush_another},
                {"Raccumulate", wait_for_another},
                {"Rput", test_another},
                {"another call", ask_size}};
    memset(base, 0, N * sizeof(*base));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (long k = 0; k < (long)(sizeof ends / sizeof *ends); k++) {
        PHASE(ends[k].name);
        for (long repeat = 1; repeat <= 3; repeat++) {
            if (csp_test_rank < csp_test_size / 2)
                give(10 * k + repeat, ends[k].end);
            else
                take(10 * k + repeat);
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

int main(void)
{
    static long memory[N];
    csp_test_init();
    peer = (csp_test_rank + csp_test_size / 2) % csp_test_size;
    base = csp_test_win_new(N * sizeof(long), sizeof(long), MPI_COMM_WORLD, &win);
    run();
    base = memory;
    MPI_Win_create(memory, sizeof memory, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    run();
    return csp_test_done();
}
