// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Receives and probes for anything from anybody, pending while windows synchronise in every way,
// get the program's own message and nothing else.
#include "csp_test_rma.h"

enum { N = 4 };

static void check_none(MPI_Comm comm)
{
    int flag = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &status);
    CHECK_MSG(!flag, "a message from %d with tag %d", flag ? status.MPI_SOURCE : -1,
              flag ? status.MPI_TAG : -1);
}

static void run(MPI_Comm comm)
{
    int rank, size, buf[N], flag, value, *base;
    MPI_Win win;
    MPI_Request req;
    MPI_Status status;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    csp_test_poison(buf, sizeof buf);
    MPI_Irecv(buf, N, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &req);
    base = csp_test_win_new(sizeof(int) * 4, sizeof(int), comm, &win);
    FOR_EACH_EPOCH(kind)
    {
        value = rank + 10 * (int)kind;
        csp_test_epoch_open(kind, win, comm);
        MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
        MPI_Test(&req, &flag, &status);
        CHECK_MSG(!flag, "received something in a %s epoch", csp_test_epoch_name(kind));
        check_none(comm);
        csp_test_epoch_close(kind, win, comm);
        CHECK_INT(base[0], (rank + size - 1) % size + 10 * (int)kind);
        check_none(comm);
    }
    PHASE("exclusive lock");
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    PHASE("own message");
    MPI_Barrier(comm);
    value = 500 + rank;
    MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 77, comm);
    MPI_Wait(&req, &status);
    CHECK_INT(status.MPI_SOURCE, (rank + size - 1) % size);
    CHECK_INT(status.MPI_TAG, 77);
    CHECK_INT(buf[0], 500 + (rank + size - 1) % size);
    MPI_Win_free(&win);
}

int main(void)
{
    csp_test_init();
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    run(MPI_COMM_WORLD);
    run(dup);
    MPI_Comm_free(&dup);
    return csp_test_done();
}
