// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Counters of all processes at all, for a second (or argument 1) inside one passive epoch: whatever the route of accumulates is, and
// however often it changes meanwhile, each number is drawn once and the sums are exact. Every process flushes
// in a way of its own, one of them seldom.
#include "casper_only.h"

enum { WORDS = 4, SELDOM = 64 };

static const long one = 1;
static long drawn[WORDS]; // results of the last operations

struct counter {
    MPI_Win win;
    long *base, last;
    long added; // by this process, to each word of each rank
};

static void add(const struct counter *c, int target)
{
    long unused;
    MPI_Fetch_and_op(&one, &drawn[0], MPI_LONG, target, 0, MPI_SUM, c->win);
    MPI_Accumulate(&one, 1, MPI_LONG, target, 1, 1, MPI_LONG, MPI_SUM, c->win);
    MPI_Get_accumulate(&one, 1, MPI_LONG, &drawn[2], 1, MPI_LONG, target, 2, 1, MPI_LONG, MPI_SUM,
                       c->win);
    MPI_Get(&unused, 1, MPI_LONG, target, WORDS, 1, MPI_LONG, c->win);
    MPI_Win_flush_local(target, c->win); // `unused` ends here
}

static void flush(const struct counter *c, int target, long round)
{
    switch (csp_test_rank % 4) {
    case 0:
        MPI_Win_flush(target, c->win);
        break;
    case 1:
        MPI_Win_flush_all(c->win);
        break;
    case 2:
        if (round % SELDOM == 0)
            MPI_Win_flush_all(c->win);
        break;
    default: // two targets at a time
        if (target % 2 == 1 || target == csp_test_size - 1) {
            MPI_Win_flush(target, c->win);
            MPI_Win_flush(target - target % 2, c->win);
        }
    }
}

// Draws from one counter that all share: later numbers are larger.
static void draw(struct counter *c)
{
    long got = -1;
    MPI_Fetch_and_op(&one, &got, MPI_LONG, 0, 3, MPI_SUM, c->win);
    MPI_Win_flush(0, c->win);
    CHECK_MSG(got > c->last, "drew %ld after %ld", got, c->last);
    c->last = got;
}

static void run(struct counter *c, double seconds)
{
    MPI_Win_lock_all(0, c->win);
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end; c->added++) {
        for (int t = 0; t < csp_test_size; t++) {
            add(c, t);
            flush(c, t, c->added);
        }
        draw(c);
    }
    MPI_Win_unlock_all(c->win);
    MPI_Barrier(MPI_COMM_WORLD);
    long sum = c->added; // and of draws
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    csp_test_own(c->win, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        CHECK_INT(c->base[i], sum);
    CHECK_INT(c->base[3], csp_test_rank == 0 ? sum : 0);
    csp_test_unown(c->win, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    csp_test_init();
    casper_only();
    struct counter c = {.last = -1};
    c.base = csp_test_win_new((WORDS + 1) * sizeof(long), sizeof(long), MPI_COMM_WORLD, &c.win);
    csp_test_win_fill(c.win, MPI_COMM_WORLD, c.base, (WORDS + 1) * sizeof(long), 0);
    run(&c, argc > 1 ? strtod(argv[1], NULL) : 1);
    MPI_Win_free(&c.win);
    return csp_test_done();
}
