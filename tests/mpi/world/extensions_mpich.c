// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Extensions of MPICH 5 that show a program its world and its requests: error handlers with an extra state (its Fortran makes them), and
// whether a request is complete.
#include "csp_test.h"

#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 50000000

static int calls, destroyed;

static void on_error(MPI_Comm comm, int code, void *extra)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    CHECK(comm == MPI_COMM_WORLD);
    CHECK_INT(class, MPI_ERR_OTHER);
    ++*(int *)extra;
}

static void destroy(void *extra)
{
    CHECK(extra == &calls);
    destroyed++;
}

static void handler(void)
{
    MPI_Errhandler mine;
    MPIX_Comm_create_errhandler_x(on_error, destroy, &calls, &mine);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
    MPI_Errhandler_free(&mine);
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    CHECK_INT(calls, 1);
    CHECK_INT(destroyed, 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    CHECK_INT(destroyed, 1);
}

static void request(void)
{
    int other = csp_test_rank ^ 1, in = -1, flag = 0;
    MPI_Request r;
    if (other >= csp_test_size)
        other = MPI_PROC_NULL;
    MPI_Irecv(&in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &r);
    if (other != MPI_PROC_NULL)
        CHECK(!MPIX_Request_is_complete(r));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&csp_test_rank, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    while (!flag)
        MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE);
    CHECK(MPIX_Request_is_complete(r));
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK_INT(in, other == MPI_PROC_NULL ? -1 : other);
}

// The program may use the buffer as soon as it is told, with and without gaps.
static void buffer_at_once(int gaps)
{
    int to = (csp_test_rank + 1) % csp_test_size,
        from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    int in[4] = {-1, -1, -1, -1}, out[2] = {csp_test_rank, csp_test_rank + 1};
    MPI_Datatype pair;
    MPI_Request r;
    MPI_Type_vector(2, 1, gaps ? 3 : 1, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Irecv(in, 1, pair, from, 1, MPI_COMM_WORLD, &r);
    MPI_Send(out, 2, MPI_INT, to, 1, MPI_COMM_WORLD);
    while (!MPIX_Request_is_complete(r)) {
        int any;
        MPI_Iprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &any, MPI_STATUS_IGNORE); // progress
    }
    CHECK_INT(in[0], from);
    CHECK_INT(in[gaps ? 3 : 1], from + 1);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Type_free(&pair);
}

int main(void)
{
    csp_test_init();
    handler();
    request();
    buffer_at_once(0);
    buffer_at_once(1);
    return csp_test_done();
}

#else

int main(void)
{
    csp_test_init();
    csp_test_skip("not MPICH 5");
}

#endif
