// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Each kind of send meets each kind of receive: blocking, nonblocking, persistent, in one call with a receive, probed.
// Even ranks send first, odd ones receive first.
#include "../csp_test.h"

enum { MOST = 300000, SENDS = 7, RECEIVES = 6 };

static const int sizes[] = {0, 8, 2000, 20000, MOST};
static char out[MOST], in[MOST];

static void wait_for(MPI_Request *request)
{
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Request_free(request);
}

static void send(int how, int bytes, int to)
{
    MPI_Request r;
    MPI_Comm world = MPI_COMM_WORLD;
    switch (how) {
    case 0:
        MPI_Send(out, bytes, MPI_CHAR, to, 1, world);
        break;
    case 1:
        MPI_Ssend(out, bytes, MPI_CHAR, to, 1, world);
        break;
    case 2:
        MPI_Isend(out, bytes, MPI_CHAR, to, 1, world, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        break;
    case 3:
        MPI_Issend(out, bytes, MPI_CHAR, to, 1, world, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        break;
    case 4:
        MPI_Send_init(out, bytes, MPI_CHAR, to, 1, world, &r);
        wait_for(&r);
        break;
    case 5:
        MPI_Ssend_init(out, bytes, MPI_CHAR, to, 1, world, &r);
        wait_for(&r);
        break;
    default:
        MPI_Sendrecv(out, bytes, MPI_CHAR, to, 1, NULL, 0, MPI_CHAR, MPI_PROC_NULL, 1, world,
                     MPI_STATUS_IGNORE);
    }
}

static void receive(int how, int bytes, int from)
{
    MPI_Request r;
    MPI_Status s;
    MPI_Message message;
    MPI_Comm world = MPI_COMM_WORLD;
    memset(in, 0, (size_t)bytes);
    switch (how) {
    case 0:
        MPI_Recv(in, bytes, MPI_CHAR, from, 1, world, &s);
        break;
    case 1:
        MPI_Irecv(in, bytes, MPI_CHAR, from, 1, world, &r);
        MPI_Wait(&r, &s);
        break;
    case 2:
        MPI_Recv_init(in, bytes, MPI_CHAR, from, 1, world, &r);
        wait_for(&r);
        break;
    case 3:
        MPI_Sendrecv(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 1, in, bytes, MPI_CHAR, from, 1, world, &s);
        break;
    case 4:
        MPI_Probe(from, MPI_ANY_TAG, world, &s);
        MPI_Recv(in, bytes, MPI_CHAR, s.MPI_SOURCE, s.MPI_TAG, world, &s);
        break;
    default:
        MPI_Mprobe(from, 1, world, &message, &s);
        MPI_Mrecv(in, bytes, MPI_CHAR, &message, &s);
    }
    if (bytes > 0) {
        CHECK_INT(in[0], from + 1);
        CHECK_INT(in[bytes - 1], from + 1);
    }
}

static void meet(int other)
{
    for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes) * SENDS * RECEIVES; i++) {
        const int bytes = sizes[i / SENDS / RECEIVES];
        for (int step = 0; step < 2 && other < csp_test_size; step++)
            if (step == csp_test_rank % 2)
                send(i % SENDS, bytes, other);
            else
                receive(i / SENDS % RECEIVES, bytes, other);
    }
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    memset(out, csp_test_rank + 1, MOST);
    PHASE("blocking and not");
    for (int i = 0; i < 2; i++) {
        meet(csp_test_rank ^ 1);
        MPI_Barrier(MPI_COMM_WORLD); // with CSP_P2P=auto the messages go another way from here on
    }
    return csp_test_done();
}
