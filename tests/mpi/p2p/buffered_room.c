// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A buffered send for which the program attached no room, or not enough, is an error of its communicator; one that has room
// is complete though nobody receives it.
#include "../csp_test.h"

// The library may take a while to see that a message has left its place in the buffer.
enum { BYTES = 20000, TOO_MANY = 5 * BYTES };

static char out[TOO_MANY], in[TOO_MANY], room[4 * (BYTES + MPI_BSEND_OVERHEAD)];
static int next_rank, last_rank;

static void refused(MPI_Comm comm, int bytes)
{
    MPI_Request r = MPI_REQUEST_NULL;
    CHECK_CLASS(MPI_Bsend(out, bytes, MPI_CHAR, next_rank, 1, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Ibsend(out, bytes, MPI_CHAR, next_rank, 1, comm, &r), MPI_ERR_BUFFER);
}

static void arrives(MPI_Comm comm, int bytes, int by_request)
{
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Status s;
    int count = -1;
    memset(out, 'a' + by_request, (size_t)bytes);
    int rc = by_request ? MPI_Ibsend(out, bytes, MPI_CHAR, next_rank, 2, comm, &r)
                        : MPI_Bsend(out, bytes, MPI_CHAR, next_rank, 2, comm);
    CHECK_INT(rc, MPI_SUCCESS);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    memset(out, 'x', (size_t)bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(in, bytes, MPI_CHAR, last_rank, 2, comm, &s);
    MPI_Get_count(&s, MPI_CHAR, &count);
    CHECK_INT(count, bytes);
    CHECK(in[0] == 'a' + by_request && in[bytes - 1] == in[0]);
    MPI_Barrier(MPI_COMM_WORLD);
}

// The room is asked for when it is started.
static void persistent(MPI_Comm comm)
{
    MPI_Request r;
    void *was;
    int size;
    PHASE("persistent");
    CHECK_INT(MPI_Bsend_init(out, BYTES, MPI_CHAR, next_rank, 3, comm, &r), MPI_SUCCESS);
    MPI_Buffer_attach(room, (int)sizeof(room));
    for (int i = 0; i < 2; i++) {
        CHECK_INT(MPI_Start(&r), MPI_SUCCESS);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Recv(in, BYTES, MPI_CHAR, last_rank, 3, comm, MPI_STATUS_IGNORE);
    }
    MPI_Buffer_detach(&was, &size);
    MPI_Request_free(&r);
}

// Detaching waits until what is in the buffer has gone: all messages were received.
static void detach(void)
{
    void *was = NULL;
    int size = -1;
    MPI_Buffer_detach(&was, &size);
    CHECK(was == room);
    CHECK_INT(size, (int)sizeof(room));
}

static void attached(MPI_Comm comm)
{
    PHASE("attached");
    MPI_Buffer_attach(room, (int)sizeof(room));
    arrives(comm, BYTES, 0);
    arrives(comm, BYTES, 1);
    arrives(comm, 8, 0);
    refused(comm, TOO_MANY);
    arrives(comm, BYTES, 0);
    detach();
}

#ifdef MPI_BUFFER_AUTOMATIC
static void automatic(MPI_Comm comm)
{
    void *was = NULL;
    int size = -1;
    MPI_Comm other;
    PHASE("automatic");
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    arrives(comm, TOO_MANY, 0);
    arrives(comm, TOO_MANY, 1);
    MPI_Buffer_detach(&was, &size);
    CHECK(was == MPI_BUFFER_AUTOMATIC);
    refused(comm, 8);
    PHASE("of a communicator");
    MPI_Comm_dup(comm, &other);
    MPI_Comm_attach_buffer(other, room, (int)sizeof(room));
    arrives(other, BYTES, 0);
    MPI_Comm_detach_buffer(other, &was, &size);
    CHECK(was == room);
    MPI_Comm_free(&other);
}
#endif

int main(void)
{
    MPI_Comm comm;
    csp_test_init();
    csp_test_need(2);
    next_rank = (csp_test_rank + 1) % csp_test_size;
    last_rank = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    PHASE("none");
    refused(comm, 8);
    refused(comm, BYTES);
    attached(comm);
    PHASE("detached");
    refused(comm, 8);
    persistent(comm);
#ifdef MPI_BUFFER_AUTOMATIC
    automatic(comm);
#endif
    MPI_Comm_free(&comm);
    return csp_test_done();
}
