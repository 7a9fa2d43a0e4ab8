// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// MPI_Comm_disconnect waits for what requests that were freed still do: after it the sender's buffer is the program's, and the
// data are in that of the receiver. The receiver comes late.
#include <string.h>
#include <time.h>
#include "../csp_test.h"

enum { SMALL = 100, LARGE = 1 << 20 };

static char buf[LARGE];
static const struct timespec late = {0, 200000000};

static void send_and_leave(MPI_Comm comm, int bytes, int to)
{
    MPI_Request request;
    memset(buf, 'a', sizeof buf);
    MPI_Isend(buf, bytes, MPI_CHAR, to, 0, comm, &request);
    MPI_Request_free(&request);
    MPI_Comm_disconnect(&comm);
    memset(buf, 'b', sizeof buf);
}

static void receive_late(MPI_Comm comm, int bytes, int from, int frees)
{
    MPI_Request request;
    int wrong = 0;
    memset(buf, 'c', sizeof buf);
    nanosleep(&late, NULL);
    MPI_Irecv(buf, bytes, MPI_CHAR, from, 0, comm, &request);
    if (frees)
        MPI_Request_free(&request);
    else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&comm);
    for (int i = 0; i < bytes; i++)
        wrong += buf[i] != 'a';
    CHECK_INT(wrong, 0);
}

int main(void)
{
    csp_test_init();
    csp_test_need(2);
    int half = csp_test_size / 2;
    for (int k = 0; k < 4; k++) {
        int bytes = k % 2 ? LARGE : SMALL, frees = k / 2;
        MPI_Comm dup;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        PHASE(frees ? "freed receive" : "receive");
        if (csp_test_rank < half)
            send_and_leave(dup, bytes, csp_test_rank + half);
        else if (csp_test_rank < 2 * half)
            receive_late(dup, bytes, csp_test_rank - half, frees);
        else
            MPI_Comm_disconnect(&dup);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return csp_test_done();
}
