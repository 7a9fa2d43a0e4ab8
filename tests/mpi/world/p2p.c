// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Point-to-point on MPI_COMM_WORLD: all modes, wildcards, probes, matched probes, persistent
// requests, cancel; statuses name ranks of the application.
#include "csp_test.h"

static int n, me, to, from;

static void modes(void)
{
    int got = -1, bytes;
    MPI_Request req;
    MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &bytes);
    int attach = bytes + MPI_BSEND_OVERHEAD;
    char *buffer = malloc((size_t)attach);
    MPI_Buffer_attach(buffer, attach);
    for (int mode = 0; mode < 4; mode++) {
        MPI_Irecv(&got, 1, MPI_INT, from, mode, MPI_COMM_WORLD, &req);
        MPI_Barrier(MPI_COMM_WORLD); // all receives are posted: ready sends may go
        if (mode == 0)
            MPI_Send(&me, 1, MPI_INT, to, mode, MPI_COMM_WORLD);
        else if (mode == 1)
            MPI_Ssend(&me, 1, MPI_INT, to, mode, MPI_COMM_WORLD);
        else if (mode == 2)
            MPI_Rsend(&me, 1, MPI_INT, to, mode, MPI_COMM_WORLD);
        else
            MPI_Bsend(&me, 1, MPI_INT, to, mode, MPI_COMM_WORLD);
        MPI_Wait(&req, MPI_STATUS_IGNORE);
        CHECK_INT(got, from);
        got = -1;
    }
    MPI_Buffer_detach(&buffer, &attach);
    free(buffer);
}

static void wildcards(void)
{
    int *seen = calloc((size_t)n, sizeof(int)), got;
    MPI_Status status;
    MPI_Message message;
    MPI_Request *reqs = malloc(sizeof *reqs * (size_t)n);
    for (int t = 0; t < n; t++)
        MPI_Isend(&me, 1, MPI_INT, t, 10 + me, MPI_COMM_WORLD, &reqs[t]);
    for (int i = 0; i < n; i++) {
        got = -1;
        if (i % 3 == 0) {
            MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        } else if (i % 3 == 1) {
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        } else {
            MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
            MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
        }
        CHECK(got >= 0 && got < n && status.MPI_SOURCE == got && status.MPI_TAG == 10 + got);
        if (got >= 0 && got < n)
            seen[got]++;
    }
    MPI_Waitall(n, reqs, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++)
        CHECK_INT(seen[i], 1);
    int flag = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    CHECK(!flag);
    MPI_Barrier(MPI_COMM_WORLD); // before anybody sends again
    free(seen);
    free(reqs);
}

static void persistent(void)
{
    MPI_Request reqs[2];
    int out = 0, in;
    MPI_Send_init(&out, 1, MPI_INT, to, 4, MPI_COMM_WORLD, &reqs[0]);
    MPI_Recv_init(&in, 1, MPI_INT, from, 4, MPI_COMM_WORLD, &reqs[1]);
    for (int r = 0; r < 3; r++) {
        out = me * 10 + r;
        in = -1;
        MPI_Startall(2, reqs);
        MPI_Waitall(2, reqs, MPI_STATUSES_IGNORE);
        CHECK_INT(in, from * 10 + r);
    }
    MPI_Request_free(&reqs[0]);
    MPI_Request_free(&reqs[1]);
}

static void others(void)
{
    int got = -1, flag = 0, value = me;
    MPI_Request req;
    MPI_Status status;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, to, 6, from, 6, MPI_COMM_WORLD, &status);
    CHECK_INT(value, from);
    CHECK_INT(status.MPI_SOURCE, from);
    MPI_Irecv(&got, 1, MPI_INT, from, 888, MPI_COMM_WORLD, &req);
    MPI_Cancel(&req);
    MPI_Wait(&req, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
    MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    CHECK_INT(status.MPI_SOURCE, MPI_PROC_NULL);
}

int main(void)
{
    csp_test_init();
    n = csp_test_size;
    me = csp_test_rank;
    to = (me + 1) % n;
    from = (me + n - 1) % n;
    PHASE("modes");
    modes();
    PHASE("wildcards");
    wildcards();
    PHASE("persistent");
    persistent();
    PHASE("others");
    others();
    return csp_test_done();
}
