// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Matching: messages of one sender in order whatever a receive asks for, wildcards in every combination, receives
// posted before and after, on several communicators at a time, sizes that take different ways.
#include "../csp_test.h"

enum { COMMS = 2, TAGS = 3, EACH = 60, LARGE = 20000, SEEDS = 6 };

// What a message says of itself.
struct content {
    int comm, from, tag, number; // the number of this sender's message with this tag
};

static MPI_Comm comms[COMMS];
static int next_number[COMMS][16][TAGS];

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}

// The same for sender and receiver: how many messages of each kind, in what order.
static void make(unsigned seed, int from, int n, struct content *out)
{
    int numbers[COMMS][TAGS] = {{0}};
    seed = seed * 97u + (unsigned)from;
    for (int i = 0; i < n; i++) {
        int c = (int)(next_random(&seed) % COMMS), t = (int)(next_random(&seed) % TAGS);
        out[i] = (struct content){c, from, t, numbers[c][t]++};
    }
}

static int bytes_of(const struct content *c)
{
    static const int sizes[] = {sizeof(struct content), 600, 5000, LARGE};
    return sizes[(c->number + c->tag + c->from) % 4];
}

static void send_all(unsigned seed, int to)
{
    struct content list[EACH];
    static char buffers[EACH][LARGE];
    MPI_Request requests[EACH];
    make(seed, csp_test_rank, EACH, list);
    for (int i = 0; i < EACH; i++) {
        memcpy(buffers[i], &list[i], sizeof(list[i]));
        MPI_Isend(buffers[i], bytes_of(&list[i]), MPI_BYTE, to, list[i].tag, comms[list[i].comm],
                  &requests[i]);
    }
    MPI_Waitall(EACH, requests, MPI_STATUSES_IGNORE);
}

// With a wildcard for the tag, later tags must not overtake: numbers of each tag stay in order in any case.
static void look(const struct content *got, const MPI_Status *status, int comm)
{
    int count;
    MPI_Get_count(status, MPI_BYTE, &count);
    CHECK_INT(got->comm, comm);
    CHECK_INT(got->from, status->MPI_SOURCE);
    CHECK_INT(got->tag, status->MPI_TAG);
    CHECK_INT(count, bytes_of(got));
    CHECK_INT(got->number, next_number[comm][got->from][got->tag]);
    next_number[comm][got->from][got->tag]++;
}

// Receives what all others send. A receive asks for a message that is still to come, by its names or not.
static void receive_all(unsigned seed)
{
    static struct content list[16 * EACH];
    static char buffer[LARGE];
    int n = 0;
    memset(next_number, 0, sizeof(next_number));
    for (int r = 1; r < csp_test_size; r++, n += EACH)
        make(seed, r, EACH, &list[n]);
    // Of each communicator as many as there are; names only where nothing else could have taken the message.
    int left[COMMS] = {0};
    for (int i = 0; i < n; i++)
        left[list[i].comm]++;
    for (int c = 0; c < COMMS; c++) {
        unsigned how = next_random(&seed) % 3;
        for (int k = 0; k < left[c]; k++) {
            MPI_Status status;
            int source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG;
            if (how == 1)
                MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[c], &status);
            if (how == 1) {
                source = status.MPI_SOURCE;
                tag = k % 2 ? status.MPI_TAG : MPI_ANY_TAG;
            }
            MPI_Recv(buffer, LARGE, MPI_BYTE, source, tag, comms[c], &status);
            look((struct content *)(void *)buffer, &status, c);
        }
    }
}

// Many receives at a time, wild and not, posted before anybody sends.
static void posted_first(void)
{
    enum { N = 40 };
    int out = csp_test_rank, in[N];
    MPI_Request requests[N];
    MPI_Status statuses[N];
    const int from = (csp_test_rank + 1) % csp_test_size;
    const int to = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    PHASE("posted first");
    for (int i = 0; i < N; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, i % 3 == 0 ? MPI_ANY_SOURCE : from,
                  i % 4 == 1 ? MPI_ANY_TAG : 7, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < N; i++) {
        out = 1000 * csp_test_rank + i;
        MPI_Send(&out, 1, MPI_INT, to, 7, MPI_COMM_WORLD);
    }
    MPI_Waitall(N, requests, statuses);
    for (int i = 0; i < N; i++) {
        CHECK_INT(in[i], 1000 * from + i);
        CHECK_INT(statuses[i].MPI_SOURCE, from);
    }
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(comms[0], &comms[1]);
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        PHASE("all to one");
        if (csp_test_rank == 0)
            receive_all(seed);
        else
            send_all(seed, 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    posted_first();
    for (int c = 0; c < COMMS; c++)
        MPI_Comm_free(&comms[c]);
    return csp_test_done();
}
