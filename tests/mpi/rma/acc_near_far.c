// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Processes of the target's own node and of others accumulate on it at the same time: long vectors, strided
// ones, counters, pairs, with and without requests. No update is lost; what a process fetches contains its own
// earlier updates. And one flush completes PUTs and accumulates of both kinds.
#include "csp_test_rma.h"

#include <stddef.h>

// LONG: more than what is sent at a time.
enum { LONG = 70000, WIDE = 500, STRIDE = 7, COUNTERS = 4, ROUNDS = 3, ADDS = 10 };

struct part {
    double vector[LONG];
    double strided[WIDE * STRIDE];
    int64_t counter[COUNTERS];
    struct {
        double value;
        int rank;
    } most;
    int64_t from[64]; // a word for each origin: PUT
    int64_t added;
};

#define AT(field) ((MPI_Aint)offsetof(struct part, field))

static MPI_Win win;
static struct part *part;
static MPI_Datatype spaced;
static double *ones, *got;

/** All elements were updated by this process `before` times at least; updates are by 1. */
static void check_fetched(const double *values, int n, int before, int all)
{
    for (int i = 0; i < n; i++)
        if (values[i] < before || values[i] > all || values[i] != (int)values[i]) {
            FAIL("element %d is %g after %d own updates of %d", i, values[i], before, all);
            return;
        }
}

static void add_vectors(int target, int passive)
{
    for (int r = 0; r < ROUNDS; r++) {
        MPI_Accumulate(ones, LONG, MPI_DOUBLE, target, AT(vector), LONG, MPI_DOUBLE, MPI_SUM, win);
        MPI_Accumulate(ones, WIDE, MPI_DOUBLE, target, AT(strided), 1, spaced, MPI_SUM, win);
        if (!passive)
            continue;
        csp_test_poison(got, sizeof(double) * LONG);
        MPI_Get_accumulate(NULL, 0, MPI_DOUBLE, got, LONG, MPI_DOUBLE, target, AT(vector), LONG,
                           MPI_DOUBLE, MPI_NO_OP, win);
        MPI_Win_flush_local(target, win);
        check_fetched(got, LONG, r + 1, ROUNDS * csp_test_size);
        csp_test_poison(got, sizeof(double) * WIDE);
        MPI_Get_accumulate(ones, WIDE, MPI_DOUBLE, got, WIDE, MPI_DOUBLE, target, AT(strided), 1,
                           spaced, MPI_NO_OP, win);
        MPI_Win_flush(target, win);
        check_fetched(got, WIDE, r + 1, ROUNDS * csp_test_size);
    }
}

static void add_counters(int target)
{
    static const int64_t one = 1;
    int64_t before[2 * ADDS];
    for (int i = 0; i < ADDS; i++) {
        MPI_Fetch_and_op(&one, &before[2 * i], MPI_INT64_T, target, AT(counter[0]), MPI_SUM, win);
        MPI_Accumulate(&one, 1, MPI_INT64_T, target, AT(counter[0]), 1, MPI_INT64_T, MPI_SUM, win);
        MPI_Get_accumulate(&one, 1, MPI_INT64_T, &before[2 * i + 1], 1, MPI_INT64_T, target,
                           AT(counter[0]), 1, MPI_INT64_T, MPI_SUM, win);
    }
    MPI_Win_flush(target, win);
    for (int i = 1; i < 2 * ADDS; i++)
        CHECK_MSG(before[i] > before[i - 1], "fetched %lld after %lld", (long long)before[i],
                  (long long)before[i - 1]);
}

static void add_by_swap(int target)
{
    for (int i = 0; i < ADDS; i++) {
        int64_t old = -1, found = 0;
        while (found != old) {
            old = found;
            int64_t next = old + 1;
            MPI_Compare_and_swap(&next, &old, &found, MPI_INT64_T, target, AT(counter[1]), win);
            MPI_Win_flush(target, win);
        }
    }
}

static void add_by_request(int target)
{
    static const int64_t one = 1;
    int64_t before = -1;
    MPI_Request requests[2];
    for (int i = 0; i < ADDS; i++) {
        MPI_Raccumulate(&one, 1, MPI_INT64_T, target, AT(counter[2]), 1, MPI_INT64_T, MPI_SUM, win,
                        &requests[0]);
        MPI_Rget_accumulate(&one, 1, MPI_INT64_T, &before, 1, MPI_INT64_T, target, AT(counter[2]),
                            1, MPI_INT64_T, MPI_SUM, win, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK_MSG(before >= 2 * i + 1, "fetched %lld in round %d", (long long)before, i);
    }
}

static void find_most(int target)
{
    struct {
        double value;
        int rank;
    } mine = {csp_test_rank + 0.5, csp_test_rank};
    MPI_Accumulate(&mine, 1, MPI_DOUBLE_INT, target, AT(most), 1, MPI_DOUBLE_INT, MPI_MAXLOC, win);
}

static void check(int target, int passive)
{
    long all = csp_test_size, rounds = ROUNDS * all;
    csp_test_own(win, MPI_COMM_WORLD);
    if (csp_test_rank == target) {
        check_fetched(part->vector, LONG, (int)rounds, (int)rounds);
        for (int i = 0; i < WIDE * STRIDE; i++)
            CHECK_INT(part->strided[i], i % STRIDE ? 0 : rounds);
        CHECK_INT(part->counter[0], passive ? 3 * ADDS * all : 0);
        CHECK_INT(part->counter[1], passive ? ADDS * all : 0);
        CHECK_INT(part->counter[2], passive ? 2 * ADDS * all : 0);
        CHECK_INT(part->most.rank, all - 1);
        CHECK(part->most.value == (double)all - 0.5);
    }
    csp_test_unown(win, MPI_COMM_WORLD);
}

static void run(enum csp_test_epoch kind, int target)
{
    int passive = kind == CSP_TEST_LOCK || kind == CSP_TEST_LOCK_ALL;
    csp_test_win_fill(win, MPI_COMM_WORLD, part, sizeof *part, 0);
    csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
    find_most(target);
    if (passive)
        add_by_swap(target);
    add_vectors(target, passive);
    if (passive) {
        add_counters(target);
        add_by_request(target);
    }
    csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
    check(target, passive);
}

// After a flush and a message the target sees both, without a call of its own in between.
static void flush_both(int target)
{
    static const int64_t one = 1;
    PHASE("one flush for both kinds");
    csp_test_win_fill(win, MPI_COMM_WORLD, part, sizeof *part, 0);
    MPI_Win_lock_all(0, win);
    for (int64_t r = 1; r <= 20; r++) {
        MPI_Put(&r, 1, MPI_INT64_T, target, AT(from[csp_test_rank]), 1, MPI_INT64_T, win);
        MPI_Accumulate(&one, 1, MPI_INT64_T, target, AT(added), 1, MPI_INT64_T, MPI_SUM, win);
        if (r % 2)
            MPI_Win_flush(target, win);
        else
            MPI_Win_flush_all(win);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_sync(win);
        if (csp_test_rank == target) {
            CHECK_INT(part->added, r * csp_test_size);
            for (int i = 0; i < csp_test_size; i++)
                CHECK_INT(part->from[i], r);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(win);
}

int main(void)
{
    csp_test_init();
    if (csp_test_size > 64)
        csp_test_skip("too many ranks");
    part = csp_test_win_new(sizeof *part, 1, MPI_COMM_WORLD, &win);
    MPI_Type_vector(WIDE, 1, STRIDE, MPI_DOUBLE, &spaced);
    MPI_Type_commit(&spaced);
    ones = csp_test_malloc(sizeof(double) * LONG);
    got = csp_test_malloc(sizeof(double) * LONG);
    for (int i = 0; i < LONG; i++)
        ones[i] = 1;
    FOR_EACH_EPOCH(kind)
    for (int target = 0; target < csp_test_size;
         target += csp_test_size > 1 ? csp_test_size - 1 : 1)
        run(kind, target);
    flush_both(csp_test_size - 1);
    MPI_Type_free(&spaced);
    MPI_Win_free(&win);
    free(ones);
    free(got);
    return csp_test_done();
}
