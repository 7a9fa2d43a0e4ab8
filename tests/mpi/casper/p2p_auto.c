// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// CSP_P2P=auto: large messages that computing could hide come to be carried by ghosts, small ones that somebody waits for go
// back to the MPI library.
#include "casper_counter.h"

enum { BYTES = 8 << 20, COMPUTE_US = 60000, LIMIT_S = 120, SMALL_S = 3 };

static int next_rank, last_rank;

// Rank 0's node notes the changes: an odd number of them leads to ghosts.
static int by_ghosts(void)
{
    int now = (int)(casper_counter("casper_changes_count") % 2);
    MPI_Bcast(&now, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return now;
}

static void exchange(char *in, const char *out, int bytes, int outside_us)
{
    MPI_Request r[2];
    MPI_Irecv(in, bytes, MPI_CHAR, last_rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, bytes, MPI_CHAR, next_rank, 0, MPI_COMM_WORLD, &r[1]);
    if (outside_us)
        usleep((useconds_t)outside_us);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

// All processes go on until rank 0 says that it is time.
static int time_is_over(double begin, double seconds)
{
    int over = MPI_Wtime() - begin > seconds;
    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return over;
}

int main(void)
{
    static char in[BYTES], out[BYTES];
    csp_test_init();
    casper_only();
    next_rank = (csp_test_rank + 1) % csp_test_size;
    last_rank = (csp_test_rank + csp_test_size - 1) % csp_test_size;

    PHASE("something to hide");
    double begin = MPI_Wtime();
    int round = 0, kept = 0;
    do {
        memset(out, ++round % 100, BYTES);
        exchange(in, out, BYTES, COMPUTE_US);
        CHECK_INT(in[0], round % 100);
        CHECK_INT(in[BYTES - 1], round % 100);
        kept = by_ghosts() ? kept + 1 : 0;
    } while (kept < 10 && !time_is_over(begin, LIMIT_S));
    CHECK(kept >= 10);

    PHASE("nothing to hide");
    begin = MPI_Wtime();
    while (!time_is_over(begin, SMALL_S))
        for (int i = 0; i < 10; i++)
            exchange(in, out, 8, 0);
    for (kept = 0; kept < 10 && !time_is_over(begin, LIMIT_S); kept = by_ghosts() ? 0 : kept + 1)
        exchange(in, out, 8, 0);
    CHECK(kept >= 10);
    return csp_test_done();
}
