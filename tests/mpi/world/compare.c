// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Comparison of communicators with MPI_COMM_WORLD, and the handle as value: in static data, as an
// integer and back, in a struct copy.
#include "csp_test.h"

struct holder {
    MPI_Comm comm;
};

static void expect(MPI_Comm comm, int want)
{
    int result = -1;
    MPI_Comm_compare(MPI_COMM_WORLD, comm, &result);
    CHECK_INT(result, want);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
    CHECK_INT(result, want);
}

int main(void)
{
    csp_test_init();
    MPI_Comm comm;
    struct holder h = {MPI_COMM_WORLD};
    int size = -1;
    expect(MPI_COMM_WORLD, MPI_IDENT);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    expect(comm, MPI_CONGRUENT);
    CHECK(comm != MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -csp_test_rank, &comm);
    expect(comm, csp_test_size > 1 ? MPI_SIMILAR : MPI_CONGRUENT);
    MPI_Comm_free(&comm);
    expect(MPI_COMM_SELF, csp_test_size > 1 ? MPI_UNEQUAL : MPI_CONGRUENT);
    comm = CSP_TEST_HANDLE(Comm, CSP_TEST_INT(Comm, MPI_COMM_WORLD));
    CHECK(comm == MPI_COMM_WORLD);
    MPI_Comm_size(comm, &size);
    CHECK_INT(size, csp_test_size);
    MPI_Comm_size(h.comm, &size);
    CHECK_INT(size, csp_test_size);
    return csp_test_done();
}
