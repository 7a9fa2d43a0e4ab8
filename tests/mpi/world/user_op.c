// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Reductions on MPI_COMM_WORLD with the program's own operator, one that does not commute; the
// operator may ask MPI local questions.
#include "csp_test.h"

// 2x2 matrices under multiplication.
static void multiply(void *in_buf, void *inout_buf, int *len, MPI_Datatype *type)
{
    const int *a = in_buf;
    int *b = inout_buf, size = -1;
    MPI_Type_size(*type, &size);
    CHECK_INT(size, 4 * sizeof(int));
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_INT(size, csp_test_size);
    for (int i = 0; i < *len; i++, a += 4, b += 4) {
        int c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                    a[2] * b[1] + a[3] * b[3]};
        memcpy(b, c, sizeof c);
    }
}

static void matrix(int rank, int *m)
{
    m[0] = 1;
    m[1] = rank % 3;
    m[2] = rank % 2;
    m[3] = 1;
}

int main(void)
{
    csp_test_init();
    MPI_Op op;
    MPI_Datatype type;
    int mine[4], got[4], want[4], next[4], len = 1;
    MPI_Type_contiguous(4, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(multiply, 0, &op);
    matrix(csp_test_rank, mine);
    MPI_Allreduce(mine, got, 1, type, op, MPI_COMM_WORLD);
    matrix(csp_test_size - 1, want);
    for (int r = csp_test_size - 2; r >= 0; r--) {
        matrix(r, next);
        multiply(next, want, &len, &type);
    }
    CHECK(memcmp(got, want, sizeof want) == 0);
    csp_test_poison(got, sizeof got);
    MPI_Reduce(mine, got, 1, type, op, csp_test_size - 1, MPI_COMM_WORLD);
    CHECK(csp_test_rank != csp_test_size - 1 || memcmp(got, want, sizeof want) == 0);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    return csp_test_done();
}
