// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Redirection by measurement sees the waits of programs that never flush in full inside an epoch: each way to wait for
// operations gets a window of its own and goes on until one was executed by the target itself, by a probe at the latest.
#include "casper_counter.h"

enum { WORDS = 4 };

static const double LIMIT_S = 20;

static long got[WORDS];

static void get(MPI_Win win, int target)
{
    MPI_Get(got, WORDS, MPI_LONG, target, 0, WORDS, MPI_LONG, win);
}

static MPI_Request request(MPI_Win win, int target, int word)
{
    MPI_Request r;
    MPI_Rget(&got[word], 1, MPI_LONG, target, word, 1, MPI_LONG, win, &r);
    return r;
}

static void by_flush(MPI_Win win, int target)
{
    get(win, target);
    MPI_Win_flush(target, win);
}

static void by_flush_local(MPI_Win win, int target)
{
    get(win, target);
    MPI_Win_flush_local(target, win);
}

static void by_flush_local_all(MPI_Win win, int target)
{
    get(win, target);
    MPI_Win_flush_local_all(win);
}

static void by_wait(MPI_Win win, int target)
{
    MPI_Request r = request(win, target, 0);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(r == MPI_REQUEST_NULL);
}

static void by_wait_put(MPI_Win win, int target)
{
    MPI_Request r;
    MPI_Rput(&got[0], 1, MPI_LONG, target, WORDS + csp_test_rank, 1, MPI_LONG, win, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void by_waitall(MPI_Win win, int target)
{
    MPI_Request r[WORDS];
    for (int i = 0; i < WORDS; i++)
        r[i] = request(win, target, i);
    MPI_Waitall(WORDS, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < WORDS; i++)
        CHECK(r[i] == MPI_REQUEST_NULL);
}

static void by_waitany(MPI_Win win, int target)
{
    MPI_Request r[WORDS];
    int index;
    for (int i = 0; i < WORDS; i++)
        r[i] = request(win, target, i);
    for (int i = 0; i < WORDS; i++) {
        MPI_Waitany(WORDS, r, &index, MPI_STATUS_IGNORE);
        CHECK(index >= 0 && index < WORDS && r[index] == MPI_REQUEST_NULL);
    }
}

static void by_waitsome(MPI_Win win, int target)
{
    MPI_Request r[WORDS];
    int indices[WORDS], n = 0;
    for (int i = 0; i < WORDS; i++)
        r[i] = request(win, target, i);
    for (int left = WORDS; left > 0; left -= n)
        MPI_Waitsome(WORDS, r, &n, indices, MPI_STATUSES_IGNORE);
}

// The data of one side in pieces: requests of some libraries would be complete too early (runtime/quirks.h).
static void by_wait_strided(MPI_Win win, int target)
{
    MPI_Datatype every_second;
    MPI_Request r;
    MPI_Type_vector(WORDS / 2, 1, 2, MPI_LONG, &every_second);
    MPI_Type_commit(&every_second);
    MPI_Rget(got, WORDS / 2, MPI_LONG, target, 0, 1, every_second, win, &r);
    MPI_Type_free(&every_second);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static const struct way {
    const char *name;
    void (*operate)(MPI_Win win, int target);
} ways[] = {
    {"MPI_Win_flush", by_flush},
    {"MPI_Win_flush_local", by_flush_local},
    {"MPI_Win_flush_local_all", by_flush_local_all},
    {"MPI_Rget, MPI_Wait", by_wait},
    {"MPI_Rput, MPI_Wait", by_wait_put},
    {"MPI_Waitall", by_waitall},
    {"MPI_Waitany", by_waitany},
    {"MPI_Waitsome", by_waitsome},
    {"MPI_Rget of a vector, MPI_Wait", by_wait_strided},
};

static void run(const struct way *way)
{
    MPI_Win win;
    int other = (csp_test_rank + csp_test_size / 2) % csp_test_size;
    int left[2] = {1, 0}; // somebody saw none yet; the time is over
    MPI_Aint bytes = (WORDS + csp_test_size) * (MPI_Aint)sizeof(long);
    PHASE(way->name);
    long *base = csp_test_win_new(bytes, sizeof(long), MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, bytes, csp_test_rank);
    unsigned long long before = casper_by_target();
    MPI_Win_lock_all(0, win);
    for (double end = MPI_Wtime() + LIMIT_S; left[0] && !left[1];) {
        for (int i = 0; i < 100; i++) {
            memset(got, CSP_TEST_POISON, sizeof(got));
            way->operate(win, other);
            CHECK(way->operate == by_wait_put || *(char *)got == other);
        }
        left[0] = casper_by_target() == before;
        left[1] = MPI_Wtime() > end;
        MPI_Allreduce(MPI_IN_PLACE, left, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    CHECK_MSG(!left[0], "%s: nothing went to the targets", way->name);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
}

int main(void)
{
    csp_test_init();
    casper_only();
    casper_only_auto();
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
        run(&ways[i]);
    return csp_test_done();
}
