// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// The public interface, by a program that is linked to libcasper: version, activity, ghosts, nodes,
// counters; before, during and after MPI.
#include "casper_counter.h"

static void put_one(void)
{
    MPI_Win win;
    static const long one = 1;
    long *base = csp_test_win_new(sizeof(long), sizeof(long), MPI_COMM_WORLD, &win);
    csp_test_win_fill(win, MPI_COMM_WORLD, base, sizeof(long), 0);
    MPI_Win_fence(0, win);
    MPI_Put(&one, 1, MPI_LONG, (csp_test_rank + 1) % csp_test_size, 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

int main(void)
{
    CHECK_STR(casper_version(), CASPER_VERSION_STRING);
    CHECK_INT(casper_active(), 0);
    CHECK_INT(casper_ghosts_per_node(), 0);
    CHECK_INT(casper_nodes(), 0);
    CHECK(casper_counter("casper_put_count") == 0);
    CHECK(casper_counter("casper_putt_count") == CASPER_NO_COUNTER);
    CHECK_INT(casper_counter_get(-1, NULL, NULL), 0);
    CHECK_INT(casper_counter_get(0, NULL, NULL), 1);
    csp_test_init();
    int ghosts = casper_only_ghosts();
    const char *nodes = getenv("CASPER_TEST_NODES");
    CHECK_INT(casper_active(), ghosts > 0);
    CHECK_INT(casper_ghosts_per_node(), ghosts);
    if (ghosts && nodes)
        CHECK_INT(casper_nodes(), atoi(nodes));
    put_one();
    CHECK(casper_counter("casper_put_count") == (ghosts > 0));
    int code = csp_test_done();
    CHECK(casper_counter("casper_put_count") == (ghosts > 0));
    CHECK_INT(casper_active(), 0);
    CHECK_STR(casper_version(), CASPER_VERSION_STRING);
    return code || atomic_load(&csp_test_errors);
}
