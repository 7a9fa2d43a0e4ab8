// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Every way to duplicate MPI_COMM_WORLD: dup, idup, with info; the copies have the same ranks and
// are separate from each other.
#include "csp_test.h"

static void check(MPI_Comm *comm, const char *what)
{
    int size = -1, rank = -1, result = -1, flag = 1, value = csp_test_rank, got = -1;
    PHASE(what);
    MPI_Comm_size(*comm, &size);
    MPI_Comm_rank(*comm, &rank);
    MPI_Comm_compare(*comm, MPI_COMM_WORLD, &result);
    CHECK_INT(size, csp_test_size);
    CHECK_INT(rank, csp_test_rank);
    CHECK_INT(result, MPI_CONGRUENT);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request req;
    MPI_Isend(&value, 1, MPI_INT, to, 5, *comm, &req);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Recv(&got, 1, MPI_INT, from, 5, *comm, MPI_STATUS_IGNORE);
    CHECK_INT(got, from);
    MPI_Wait(&req, MPI_STATUS_IGNORE);
    MPI_Comm_free(comm);
    CHECK(*comm == MPI_COMM_NULL);
}

int main(void)
{
    csp_test_init();
    MPI_Comm comm, second;
    MPI_Request req;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(comm, &second);
    check(&comm, "dup");
    check(&second, "dup of dup");
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &req);
    MPI_Wait(&req, MPI_STATUS_IGNORE);
    check(&comm, "idup");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
    check(&comm, "dup with info");
#if CSP_HAVE_MPI_Comm_idup_with_info
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm, &req);
    MPI_Wait(&req, MPI_STATUS_IGNORE);
    check(&comm, "idup with info");
#endif
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_disconnect(&comm);
    CHECK(comm == MPI_COMM_NULL);
    return csp_test_done();
}
