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
    bad_arguments();
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    truncated(64);
    CHECK(raised >= 1);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    return csp_test_done();
}
