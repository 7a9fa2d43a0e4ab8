// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Errors of sends and receives, on the communicator's own handler, with the class that MPI has for them.
#include "../csp_test.h"

static const int sizes[] = {8, 1000, 10000, 100000};
static int next_rank, last_rank, raised;
static MPI_Comm comm;

static void on_error(MPI_Comm *c, int *code, ...)
{
    (void)c, (void)code;
    raised++;
}

static void truncated(int bytes)
{
    char *out = calloc(1, (size_t)bytes), *in = malloc((size_t)bytes);
    int flag = 0;
    MPI_Request r[2];
    MPI_Status s[2];
    PHASE("truncated");
    memset(in, CSP_TEST_POISON, (size_t)bytes);
    MPI_Isend(out, bytes, MPI_CHAR, next_rank, 1, comm, &r[0]);
    CHECK_CLASS(MPI_Recv(in, bytes / 2, MPI_CHAR, last_rank, 1, comm, s), MPI_ERR_TRUNCATE);
    CHECK_INT((unsigned char)in[bytes / 2], CSP_TEST_POISON);
    MPI_Wait(&r[0], s);
    MPI_Irecv(in, bytes / 2, MPI_CHAR, last_rank, 2, comm, &r[0]);
    MPI_Isend(out, bytes, MPI_CHAR, next_rank, 2, comm, &r[1]);
    CHECK_CLASS(MPI_Waitall(2, r, s), MPI_ERR_IN_STATUS);
    MPI_Error_class(s[0].MPI_ERROR, &flag);
    CHECK_INT(flag, MPI_ERR_TRUNCATE);
    CHECK(s[1].MPI_ERROR == MPI_SUCCESS || s[1].MPI_ERROR == MPI_ERR_PENDING);
    if (s[1].MPI_ERROR == MPI_ERR_PENDING)
        MPI_Wait(&r[1], &s[1]);
    CHECK_INT((unsigned char)in[bytes / 2], CSP_TEST_POISON);
    MPI_Barrier(comm);
    free(out);
    free(in);
}

static int none(void *extra, MPI_Status *status)
{
    (void)extra, (void)status;
    return MPI_SUCCESS;
}

static int query_fails(void *extra, MPI_Status *status)
{
    none(extra, status);
    return MPI_ERR_OTHER;
}

static int free_none(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancel_none(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

// A request of the library's that is fine, next to one that fails.
static void some_truncated(void)
{
    int in = 0, out[2] = {1, 2}, token = 0, count, indices[2], seen = 0, class;
    MPI_Request r[2];
    MPI_Status s[2];
    PHASE("some truncated");
    MPI_Grequest_start(none, free_none, cancel_none, NULL, &r[0]);
    MPI_Grequest_complete(r[0]);
    MPI_Irecv(&in, 1, MPI_INT, last_rank, 3, comm, &r[1]);
    MPI_Send(out, 2, MPI_INT, next_rank, 3, comm);
    MPI_Sendrecv(out, 1, MPI_INT, next_rank, 4, &token, 1, MPI_INT, last_rank, 4, comm, &s[0]);
    while (seen < 2) {
        s[0].MPI_ERROR = s[1].MPI_ERROR = 12345;
        int rc = MPI_Testsome(2, r, &count, indices, s);
        seen += count;
        for (int i = 0; rc != MPI_SUCCESS && i < count; i++) {
            MPI_Error_class(s[i].MPI_ERROR, &class);
            CHECK_INT(class, indices[i] == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
        }
    }
    MPI_Barrier(comm);
}

static void bad_arguments(void)
{
    int x = 0;
    MPI_Request r = MPI_REQUEST_NULL;
    PHASE("bad arguments");
    CHECK_CLASS(MPI_Send(&x, 1, MPI_INT, csp_test_size, 0, comm), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Isend(&x, 1, MPI_INT, -7, 0, comm, &r), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Irecv(&x, 1, MPI_INT, csp_test_size, 0, comm, &r), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Send(&x, 1, MPI_INT, 0, -5, comm), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Send(&x, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 0, comm), MPI_ERR_TYPE);
}

// On the communicator's own handler, whoever asks first how long the message is. Open MPI's handles are addresses.
static void no_type(void)
{
#ifdef MPICH_NUMVERSION
    int x = 0;
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Datatype none = (MPI_Datatype)0x7fffffff;
    PHASE("no type");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL); // not there
    CHECK_CLASS(MPI_Isend(&x, 1, none, next_rank, 0, comm, &r), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Irecv(&x, 1, none, last_rank, 0, comm, &r), MPI_ERR_TYPE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#endif
}

// No buffer, and more than nothing to send or receive. Of absolute addresses it is one (MPI_BOTTOM), and of nothing none is needed.
static void null_buffers(void)
{
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Datatype pair, nothing;
    PHASE("null buffers");
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    CHECK_CLASS(MPI_Send(NULL, 1, MPI_INT, next_rank, 3, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Send(NULL, 100000, MPI_INT, next_rank, 3, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Ssend(NULL, 1, pair, next_rank, 3, comm), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Isend(NULL, 1, MPI_INT, next_rank, 3, comm, &r), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Recv(NULL, 1, MPI_INT, last_rank, 3, comm, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Irecv(NULL, 1, pair, last_rank, 3, comm, &r), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Send_init(NULL, 1, MPI_INT, next_rank, 3, comm, &r), MPI_ERR_BUFFER);
    CHECK_INT(MPI_Sendrecv(NULL, 5, nothing, next_rank, 4, NULL, 0, MPI_INT, last_rank, 4, comm,
                           MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    MPI_Type_free(&pair);
    MPI_Type_free(&nothing);
}

static void absolute_addresses(void)
{
    int in = -1, out = csp_test_rank, one = 1;
    MPI_Aint at[2];
    MPI_Datatype types[2];
    PHASE("absolute addresses");
    MPI_Get_address(&out, &at[0]);
    MPI_Get_address(&in, &at[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Type_create_hindexed(1, &one, &at[i], MPI_INT, &types[i]);
        MPI_Type_commit(&types[i]);
    }
    CHECK_INT(MPI_Sendrecv(MPI_BOTTOM, 1, types[0], next_rank, 5, MPI_BOTTOM, 1, types[1],
                           last_rank, 5, comm, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    CHECK_INT(in, last_rank);
    for (int i = 0; i < 2; i++)
        MPI_Type_free(&types[i]);
}

// A matched message is still there after a call with arguments that are wrong.
static void matched_message(void)
{
    int out = 7, in = 0;
    MPI_Request sent, r = MPI_REQUEST_NULL;
    MPI_Message m;
    PHASE("matched message");
    MPI_Isend(&out, 1, MPI_INT, next_rank, 6, comm, &sent);
    MPI_Mprobe(last_rank, 6, comm, &m, MPI_STATUS_IGNORE);
    CHECK_CLASS(MPI_Mrecv(&in, -1, MPI_INT, &m, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Imrecv(&in, -1, MPI_INT, &m, &r), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Mrecv(&in, 1, MPI_DATATYPE_NULL, &m, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Mrecv(NULL, 1, MPI_INT, &m, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
    CHECK_INT(MPI_Mrecv(&in, 1, MPI_INT, &m, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_INT(in, 7);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

// A place without a request, next to one of the library's that fails.
static void null_place(void)
{
    enum { ALL = 3 };
    int out = 1, in = 0;
    MPI_Request r[ALL], sent;
    MPI_Status s[ALL];
    PHASE("null place");
    MPI_Isend(&out, 1, MPI_INT, next_rank, 6, comm, &sent);
    MPI_Irecv(&in, 1, MPI_INT, last_rank, 6, comm, &r[0]);
    MPI_Grequest_start(query_fails, free_none, cancel_none, NULL, &r[1]);
    MPI_Grequest_complete(r[1]);
    r[2] = MPI_REQUEST_NULL;
    for (int i = 0; i < ALL; i++)
        s[i].MPI_ERROR = MPI_ERR_TOPOLOGY;
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    CHECK_CLASS(MPI_Waitall(ALL, r, s), MPI_ERR_IN_STATUS);
    CHECK_INT(in, 1);
    CHECK_INT(s[0].MPI_ERROR, MPI_SUCCESS);
    CHECK_CLASS(s[1].MPI_ERROR, MPI_ERR_OTHER);
    CHECK_INT(s[2].MPI_ERROR, MPI_SUCCESS);
}

int main(void)
{
    MPI_Errhandler handler;
    csp_test_init();
    csp_test_need(2);
    next_rank = (csp_test_rank + 1) % csp_test_size;
    last_rank = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD,
                            MPI_ERRORS_RETURN); // some libraries raise MPI_ERR_IN_STATUS there
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        truncated(sizes[i]);
    some_truncated();
    bad_arguments();
    no_type();
    null_buffers();
    absolute_addresses();
    matched_message();
    null_place();
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    truncated(64);
    CHECK(raised >= 1);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    return csp_test_done();
}
