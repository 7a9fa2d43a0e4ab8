// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// CSP_P2P=auto: large messages that computing could hide come to be carried by ghosts, small ones that somebody waits for go
// back to the MPI library; also those of wildcards and persistent requests.
#include "casper_counter.h"

enum { BYTES = 8 << 20, COMPUTE_US = 40000, LIMIT_S = 120, SMALL_S = 3 };

static char in[BYTES], out[BYTES];
static int next_rank, last_rank;

// Rank 0's node notes the changes: an odd number of them leads to ghosts.
static int by_ghosts(void)
{
    int now = (int)(casper_counter("casper_changes_count") % 2);
    MPI_Bcast(&now, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return now;
}

static void exchange(int bytes, int outside_us)
{
    MPI_Request r[2];
    MPI_Irecv(in, bytes, MPI_CHAR, last_rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, bytes, MPI_CHAR, next_rank, 0, MPI_COMM_WORLD, &r[1]);
    if (outside_us)
        usleep((useconds_t)outside_us);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

// Two receives, one of them persistent, and persistent sends.
static void exchange_by_wildcard(MPI_Request *again)
{
    MPI_Request r;
    MPI_Status status;
    MPI_Irecv(in, BYTES / 2, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &r);
    MPI_Startall(3, again);
    usleep(COMPUTE_US);
    MPI_Wait(&r, &status);
    CHECK_INT(status.MPI_SOURCE, last_rank);
    MPI_Waitall(3, again, MPI_STATUSES_IGNORE);
}

// All processes go on until rank 0 says that it is time.
static int time_is_over(double begin, double seconds)
{
    int over = MPI_Wtime() - begin > seconds;
    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return over;
}

// Until ghosts have carried ten rounds.
static void hide(MPI_Request *again)
{
    double begin = MPI_Wtime();
    int round = 0, kept = 0;
    do {
        memset(out, ++round % 100, BYTES);
        if (again)
            exchange_by_wildcard(again);
        else
            exchange(BYTES, COMPUTE_US);
        CHECK_INT(in[0], round % 100);
        CHECK_INT(in[BYTES - 1], round % 100);
        kept = by_ghosts() ? kept + 1 : 0;
    } while (kept < 10 && !time_is_over(begin, LIMIT_S));
    CHECK(kept >= 10);
}

static void hide_nothing(void)
{
    double begin = MPI_Wtime();
    int kept;
    while (!time_is_over(begin, SMALL_S))
        for (int i = 0; i < 10; i++)
            exchange(8, 0);
    for (kept = 0; kept < 10 && !time_is_over(begin, LIMIT_S); kept = by_ghosts() ? 0 : kept + 1)
        exchange(8, 0);
    CHECK(kept >= 10);
}

int main(void)
{
    MPI_Request again[3];
    csp_test_init();
    casper_only();
    next_rank = (csp_test_rank + 1) % csp_test_size;
    last_rank = (csp_test_rank + csp_test_size - 1) % csp_test_size;

    PHASE("something to hide");
    hide(NULL);

    PHASE("nothing to hide");
    hide_nothing();

    PHASE("wildcards and persistent requests");
    MPI_Recv_init(in + BYTES / 2, BYTES / 2, MPI_CHAR, last_rank, MPI_ANY_TAG, MPI_COMM_WORLD,
                  &again[0]);
    MPI_Send_init(out, BYTES / 2, MPI_CHAR, next_rank, 1, MPI_COMM_WORLD, &again[1]);
    MPI_Send_init(out + BYTES / 2, BYTES / 2, MPI_CHAR, next_rank, 2, MPI_COMM_WORLD, &again[2]);
    hide(again);
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&again[i]);
    return csp_test_done();
}
