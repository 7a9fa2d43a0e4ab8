// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// A pair type (MPI_2INT) is two elements: a message may end between them, also in a receive with gaps.
#include "../csp_test.h"

int main(void)
{
    const int out[3] = {1, 2, 3};
    int in[6], elements = -1;
    MPI_Datatype pairs;
    MPI_Status s;
    csp_test_init();
    MPI_Type_vector(2, 1, 2, MPI_2INT, &pairs);
    MPI_Type_commit(&pairs);
    csp_test_poison(in, sizeof in);
    PHASE("half a pair");
    CHECK_INT(MPI_Sendrecv(out, 3, MPI_INT, (csp_test_rank + 1) % csp_test_size, 9, in, 1, pairs,
                           (csp_test_rank + csp_test_size - 1) % csp_test_size, 9, MPI_COMM_WORLD,
                           &s),
              MPI_SUCCESS);
    MPI_Get_elements(&s, pairs, &elements);
    CHECK_INT(elements, 3);
    CHECK(in[0] == 1 && in[1] == 2 && in[4] == 3);
    MPI_Type_free(&pairs);
    return csp_test_done();
}
