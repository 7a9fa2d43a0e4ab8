// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Many small operations that ghosts execute, one after the other: few messages bring them, in their order, each to its place;
// one that fails (with an argument) keeps none of the others away.
#include "casper_counter.h"
#include "hole.h"

enum { OPS = 2000, SLOTS = 64, USERS = 4, PUBLISHED_MS = 200 };
#ifdef __SANITIZE_ADDRESS__
enum { MOST = 4 * OPS - 1 }; // messages: the next operation may come too late to go along
#else
enum { MOST = 2 * OPS };
#endif

static int64_t memory[USERS][SLOTS + 1]; // by origin; the last one is replaced again and again
static int64_t attached[OPS];
static const int64_t one = 1;

static int node_of(int rank)
{
    return rank / 2;
}

// To both users of the other node in turn: so much the ghost has to look at each operation's target.
static void issue(MPI_Win win)
{
    for (int64_t i = 0; i < OPS; i++) {
        const int target = 2 * (1 - node_of(csp_test_rank)) + (int)(i % 2);
        const MPI_Aint mine = csp_test_rank * (SLOTS + 1);
        MPI_Accumulate(&one, 1, MPI_INT64_T, target, mine + i / 2 % SLOTS, 1, MPI_INT64_T, MPI_SUM,
                       win);
        MPI_Accumulate(&i, 1, MPI_INT64_T, target, mine + SLOTS, 1, MPI_INT64_T, MPI_REPLACE, win);
    }
}

static void check(void)
{
    for (int origin = 0; origin < USERS; origin++) {
        if (node_of(origin) == node_of(csp_test_rank))
            continue;
        int64_t sum = 0;
        for (int i = 0; i < SLOTS; i++)
            sum += memory[origin][i];
        CHECK_INT(sum, OPS / 2);
        CHECK_INT(memory[origin][0], (OPS / 2 + SLOTS - 1) / SLOTS);
        CHECK_INT(memory[origin][SLOTS], OPS - 2 + csp_test_rank % 2);
    }
}

// Some time after they came.
static unsigned long long messages(void)
{
    usleep(PUBLISHED_MS * 1000);
    return casper_counter("casper_ghosts_messages_count");
}

static void few_messages(void)
{
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof memory[0][0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    const unsigned long long before = messages();
    MPI_Barrier(MPI_COMM_WORLD);
    issue(win);
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    const unsigned long long after = messages();
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    check();
    if (after - before > MOST)
        csp_test_fail(__FILE__, __LINE__, "%llu messages for %d operations", after - before,
                      4 * OPS);
}

static void one_fails(void)
{
    MPI_Win win;
    struct place theirs[USERS];
    const int target = (csp_test_rank + 2) % USERS;
    void *hole = hole_open(attached, sizeof attached, &win, theirs);
    MPI_Win_lock_all(0, win);
    for (int64_t i = 0; i < OPS; i++) {
        const MPI_Aint at = theirs[target].good + i * (MPI_Aint)sizeof i;
        MPI_Put(&i, 1, MPI_INT64_T, target, i == OPS / 2 ? theirs[target].bad : at, 1, MPI_INT64_T,
                win);
    }
    CHECK_CLASS(MPI_Win_flush(target, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Win_flush(target, win), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    for (int64_t i = 0; i < OPS; i++)
        CHECK_INT(attached[i], i == OPS / 2 ? 0 : i);
    MPI_Barrier(MPI_COMM_WORLD);
    hole_close(hole, attached, &win);
}

int main(int argc, char **argv)
{
    (void)argv;
    csp_test_init();
    casper_only();
    if (csp_test_size != USERS || casper_only_nodes() != 2)
        csp_test_skip("needs two nodes of two users");
    if (argc > 1)
        one_fails();
    else
        few_messages();
    return csp_test_done();
}
