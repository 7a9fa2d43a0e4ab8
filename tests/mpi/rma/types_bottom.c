// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// Origin data at absolute addresses (MPI_BOTTOM), put and fetched back.
#include "csp_test_rma.h"

static int left[3], right[5];

static MPI_Datatype absolute(void)
{
    const int lengths[] = {3, 5};
    MPI_Aint displs[2];
    MPI_Datatype type;
    MPI_Get_address(left, &displs[0]);
    MPI_Get_address(right, &displs[1]);
    MPI_Type_create_hindexed(2, lengths, displs, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

int main(void)
{
    csp_test_init();
    MPI_Win win;
    int *base = csp_test_win_new(sizeof(int) * 8, sizeof(int), MPI_COMM_WORLD, &win);
    MPI_Datatype type = absolute();
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    for (int i = 0; i < 3; i++)
        left[i] = csp_test_rank * 100 + i;
    for (int i = 0; i < 5; i++)
        right[i] = csp_test_rank * 100 + 3 + i;
    csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    MPI_Put(MPI_BOTTOM, 1, type, to, 0, 8, MPI_INT, win);
    csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    for (int i = 0; i < 8; i++)
        CHECK_INT(base[i], from * 100 + i);
    csp_test_poison(left, sizeof left);
    csp_test_poison(right, sizeof right);
    csp_test_epoch_open(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    MPI_Get(MPI_BOTTOM, 1, type, to, 0, 8, MPI_INT, win);
    csp_test_epoch_close(CSP_TEST_LOCK_ALL, win, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        CHECK_INT(left[i], csp_test_rank * 100 + i);
    for (int i = 0; i < 5; i++)
        CHECK_INT(right[i], csp_test_rank * 100 + 3 + i);
    MPI_Type_free(&type);
    MPI_Win_free(&win);
    return csp_test_done();
}
