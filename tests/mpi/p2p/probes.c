// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Probes and matched receives: of any size, by name and wildcard; a matched message is nobody else's.
#include "../csp_test.h"

enum { MOST = 100000 };

static const int sizes[] = {0, 4, 300, 4000, 20000, MOST};
static int next_rank, last_rank;
static char out[MOST], in[MOST];

static void send(int bytes, int tag, MPI_Request *r)
{
    memset(out, tag, MOST);
    MPI_Isend(out, bytes, MPI_CHAR, next_rank, tag, MPI_COMM_WORLD, r);
}

static void expect(const MPI_Status *s, int bytes, int tag)
{
    int count;
    MPI_Get_count(s, MPI_CHAR, &count);
    CHECK_INT(count, bytes);
    CHECK_INT(s->MPI_SOURCE, last_rank);
    CHECK_INT(s->MPI_TAG, tag);
}

static void probe(int bytes)
{
    MPI_Request r;
    MPI_Status s;
    int flag = 1;
    MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &s);
    CHECK_INT(flag, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    send(bytes, 1, &r);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    expect(&s, bytes, 1);
    MPI_Iprobe(last_rank, 1, MPI_COMM_WORLD, &flag, &s); // it is still there
    CHECK_INT(flag, 1);
    MPI_Recv(in, bytes, MPI_CHAR, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD, &s);
    expect(&s, bytes, 1);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

// The first of two messages is taken by a matched probe, the second by a receive.
static void matched(int bytes, int nonblocking)
{
    MPI_Request r[3];
    MPI_Message message;
    MPI_Status s;
    int second = -1, flag = 0;
    send(bytes, 2, &r[0]);
    MPI_Isend(&bytes, 1, MPI_INT, next_rank, 2, MPI_COMM_WORLD, &r[1]);
    if (nonblocking)
        while (!flag)
            MPI_Improbe(last_rank, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &s);
    else
        MPI_Mprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &message, &s);
    expect(&s, bytes, 2);
    MPI_Recv(&second, 1, MPI_INT, last_rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(second, bytes);
    memset(in, 0, MOST);
    if (nonblocking) {
        MPI_Imrecv(in, MOST, MPI_CHAR, &message, &r[2]);
        MPI_Wait(&r[2], &s);
    } else {
        MPI_Mrecv(in, MOST, MPI_CHAR, &message, &s);
    }
    CHECK(message == MPI_MESSAGE_NULL);
    expect(&s, bytes, 2);
    if (bytes > 0) {
        CHECK_INT(in[0], 2);
        CHECK_INT(in[bytes - 1], 2);
    }
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    next_rank = (csp_test_rank + 1) % csp_test_size;
    last_rank = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        PHASE("probe");
        probe(sizes[i]);
        PHASE("matched probe");
        matched(sizes[i], 0);
        matched(sizes[i], 1);
    }
    return csp_test_done();
}
