// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// As many receives and sends as the program posts, before anything else: contiguous, with gaps, too large for an eager message;
// blocking sends behind them, and a receive that is freed. With windows that take what the pool has.
#include "../csp_test.h"

enum { INTS = 256, LARGE_INTS = 1280, LARGE_EVERY = 50, AHEAD_TAG = 1, LAST_TAG = 2, WINDOWS = 64 };

static int next_rank, last_rank, posts = 6000;
static MPI_Datatype every_other; // INTS of them, in large pieces
static MPI_Win wins[WINDOWS];

// How many of its ints the i-th message has.
static int ints_of(int i)
{
    return i % LARGE_EVERY == 0 ? LARGE_INTS : INTS;
}

static int value_of(int rank, int i, int k)
{
    return rank * 1000000 + i * 7 + k;
}

static void post_all(int *in, MPI_Request *r)
{
    for (int i = 0; i < posts; i++)
        if (i % 3 == 2)
            MPI_Irecv(in + (size_t)i * LARGE_INTS, 1, every_other, last_rank, AHEAD_TAG,
                      MPI_COMM_WORLD, &r[i]);
        else
            MPI_Irecv(in + (size_t)i * LARGE_INTS, ints_of(i), MPI_INT, last_rank, AHEAD_TAG,
                      MPI_COMM_WORLD, &r[i]);
}

static void send_all(void)
{
    int out[LARGE_INTS];
    for (int i = 0; i < posts; i++) {
        int n = i % 3 == 2 ? INTS : ints_of(i);
        for (int k = 0; k < n; k++)
            out[k] = value_of(csp_test_rank, i, k);
        CHECK_INT(MPI_Send(out, n, MPI_INT, next_rank, AHEAD_TAG, MPI_COMM_WORLD), MPI_SUCCESS);
    }
}

// The place of the k-th int of a message with gaps: pieces of 128, and as much between them.
static int place_of(int i, int k)
{
    return i % 3 == 2 ? k / 128 * 256 + k % 128 : k;
}

static void check_all(const int *in)
{
    for (int i = 0; i < posts; i++)
        for (int n = i % 3 == 2 ? INTS : ints_of(i), k = 0; k < n; k += n - 1)
            CHECK_INT(in[(size_t)i * LARGE_INTS + (size_t)place_of(i, k)],
                      value_of(last_rank, i, k));
}

static void posts_before_sends(void)
{
    size_t bytes = (size_t)posts * LARGE_INTS * sizeof(int);
    int *in = malloc(bytes), token = csp_test_rank, got = -1;
    MPI_Request *r = malloc((size_t)posts * sizeof(MPI_Request)), freed;
    PHASE("posts before sends");
    memset(in, CSP_TEST_POISON, bytes);
    post_all(in, r);
    MPI_Irecv(&got, 1, MPI_INT, last_rank, LAST_TAG, MPI_COMM_WORLD, &freed);
    MPI_Request_free(&freed);
    send_all();
    MPI_Waitall(posts, r, MPI_STATUSES_IGNORE);
    check_all(in);
    CHECK_INT(MPI_Sendrecv(&token, 1, MPI_INT, next_rank, LAST_TAG, NULL, 0, MPI_INT, MPI_PROC_NULL,
                           0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    free(in);
    free(r);
}

// Sends that nobody receives yet: the ghosts have taken a thousand of each process at most.
static void sends_before_receives(void)
{
    int n = posts / 3, *out = calloc((size_t)n * INTS, sizeof(int)), in[INTS];
    MPI_Request *r = malloc((size_t)n * sizeof(MPI_Request));
    PHASE("sends before receives");
    for (int i = 0; i < n; i++) {
        out[(size_t)i * INTS] = i;
        MPI_Issend(out + (size_t)i * INTS, INTS, MPI_INT, next_rank, AHEAD_TAG, MPI_COMM_WORLD,
                   &r[i]);
    }
    for (int i = 0; i < n; i++) {
        MPI_Recv(in, INTS, MPI_INT, last_rank, AHEAD_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(in[0], i);
    }
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    free(out);
    free(r);
}

// Messages of a full pool.
static void between_windows(void)
{
    int *base;
    PHASE("between windows");
    for (int i = 0; i < WINDOWS; i++)
        MPI_Win_allocate(200000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &wins[i]);
    posts_before_sends();
    sends_before_receives();
    for (int i = 0; i < WINDOWS; i++)
        MPI_Win_free(&wins[i]);
}

int main(int argc, char **argv)
{
    csp_test_init();
    csp_test_need(2);
    if (argc > 1)
        posts = atoi(argv[1]);
    next_rank = (csp_test_rank + 1) % csp_test_size;
    last_rank = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    MPI_Type_vector(INTS / 128, 128, 256, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    posts_before_sends();
    sends_before_receives();
    between_windows();
    MPI_Type_free(&every_other);
    return csp_test_done();
}
