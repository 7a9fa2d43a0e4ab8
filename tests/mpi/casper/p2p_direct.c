// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A large message inside a node is copied once, by the process that waits for it: the receiver, or the sender while the receiver
// computes, also when the receiver had waited for it until something else came. With gaps on either side, too. If nobody waits a
// ghost copies it. The argument says who waits; the runner looks at the report.
#include "casper_only.h"

enum { ROUNDS = 12, INTS = 1 << 18, RUN = 128, BEFORE_MS = 50 };

enum who { RECEIVER_WAITS, SENDER_WAITS, NOBODY_WAITS, RECEIVER_WAITED, WHO };
static const char *const who_names[WHO] = {"receiver", "sender", "nobody", "receiver_waited"};

static int data[2 * INTS];
static MPI_Datatype runs;

// Where element `i` is; behind each run there is a gap as long.
static int at(int i, int gaps)
{
    return gaps ? i / RUN * 2 * RUN + i % RUN : i;
}

static void pause_if(int does)
{
    if (does)
        usleep(BEFORE_MS * 1000);
}

// The receiver waits for its large message or a small one, which comes, says that it has it, and computes.
static void receiver_waited(int peer, MPI_Request large)
{
    MPI_Request either[2] = {large};
    int index = -1, small = 0;
    MPI_Irecv(&small, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &either[1]);
    MPI_Waitany(2, either, &index, MPI_STATUS_IGNORE);
    CHECK_INT(index, 1);
    MPI_Send(&small, 1, MPI_INT, peer, 2, MPI_COMM_WORLD);
    usleep(BEFORE_MS * 1000);
}

static void sender_waits(int peer, int count, MPI_Datatype type)
{
    int small = 0;
    usleep(BEFORE_MS * 1000);
    MPI_Send(&small, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
    MPI_Recv(&small, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, count, type, peer, 0, MPI_COMM_WORLD);
}

static void transfer(enum who who, int gaps, int peer)
{
    const int sends = csp_test_rank % 2 == 0, first = 7 * (int)who;
    const int count = gaps ? 1 : INTS;
    const MPI_Datatype type = gaps ? runs : MPI_INT;
    MPI_Request r = MPI_REQUEST_NULL;
    for (int i = 0; i < 2 * INTS; i++)
        data[i] = -1;
    for (int i = 0; sends && i < INTS; i++)
        data[at(i, gaps)] = first + i;
    MPI_Barrier(MPI_COMM_WORLD);
    pause_if(who == RECEIVER_WAITS && sends);
    if (sends && who == RECEIVER_WAITED)
        sender_waits(peer, count, type);
    else if (sends)
        MPI_Isend(data, count, type, peer, 0, MPI_COMM_WORLD, &r);
    else
        MPI_Irecv(data, count, type, peer, 0, MPI_COMM_WORLD, &r);
    if (!sends && who == RECEIVER_WAITED)
        receiver_waited(peer, r);
    pause_if(who == NOBODY_WAITS || (who == SENDER_WAITS && !sends));
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < INTS; i++)
        CHECK_INT(data[at(i, gaps)], first + i);
    for (int i = RUN; gaps && i < 2 * INTS; i += 2 * RUN)
        CHECK_INT(data[i], -1);
}

static enum who who_waits(int argc, char **argv)
{
    for (int i = 0; argc == 2 && i < WHO; i++)
        if (strcmp(argv[1], who_names[i]) == 0)
            return (enum who)i;
    FAIL("the argument is not one of those who wait: %s, ...", who_names[0]);
    return NOBODY_WAITS;
}

int main(int argc, char **argv)
{
    csp_test_init();
    casper_only();
    const enum who who = who_waits(argc, argv);
    const int peer = csp_test_rank ^ 1, sends = csp_test_rank % 2 == 0;
    MPI_Type_vector(INTS / RUN, RUN, 2 * RUN, MPI_INT, &runs);
    MPI_Type_commit(&runs);
    // Several rounds: on a machine with other work a ghost takes some offers back.
    for (int i = 0; i < ROUNDS; i++)
        transfer(who, i >> sends & 1, peer);
    MPI_Type_free(&runs);
    return csp_test_done();
}
