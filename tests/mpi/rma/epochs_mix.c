// SPDX-License-Identifier: BSD-3-Clause
// Copyright the Casper developers
// One window goes through all kinds of epochs in many orders; two windows are in epochs of
// different kinds at the same time.
#include "csp_test_rma.h"

static void step(enum csp_test_epoch kind, MPI_Win win, int *base, int round)
{
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    int value = csp_test_rank * 1000 + round;
    csp_test_epoch_open(kind, win, MPI_COMM_WORLD);
    MPI_Put(&value, 1, MPI_INT, to, 0, 1, MPI_INT, win);
    csp_test_epoch_close(kind, win, MPI_COMM_WORLD);
    CHECK_INT(base[0], from * 1000 + round);
}

static void two_at_once(enum csp_test_epoch a, enum csp_test_epoch b, MPI_Win wins[2], int *base[2])
{
    int to = (csp_test_rank + 1) % csp_test_size;
    int from = (csp_test_rank + csp_test_size - 1) % csp_test_size;
    int value = csp_test_rank * 100 + (int)a * 10 + (int)b;
    csp_test_epoch_open(a, wins[0], MPI_COMM_WORLD);
    csp_test_epoch_open(b, wins[1], MPI_COMM_WORLD);
    MPI_Put(&value, 1, MPI_INT, to, 1, 1, MPI_INT, wins[1]);
    MPI_Put(&value, 1, MPI_INT, to, 1, 1, MPI_INT, wins[0]);
    csp_test_epoch_close(a, wins[0], MPI_COMM_WORLD);
    csp_test_epoch_close(b, wins[1], MPI_COMM_WORLD);
    for (int w = 0; w < 2; w++)
        CHECK_INT(base[w][1], from * 100 + (int)a * 10 + (int)b);
}

int main(void)
{
    csp_test_init();
    MPI_Win wins[2];
    int *base[2];
    for (int w = 0; w < 2; w++)
        base[w] = csp_test_win_new(sizeof(int) * 4, sizeof(int), MPI_COMM_WORLD, &wins[w]);
    unsigned seed = 12345; // the same on all ranks
    for (int round = 0; round < 60; round++) {
        seed = seed * 1103515245 + 12345;
        step((enum csp_test_epoch)(seed >> 16 & 3), wins[round % 2], base[round % 2], round);
    }
    for (int a = 0; a < CSP_TEST_EPOCHS; a++)
        for (int b = 0; b < CSP_TEST_EPOCHS; b++)
            two_at_once((enum csp_test_epoch)a, (enum csp_test_epoch)b, wins, base);
    for (int w = 0; w < 2; w++)
        MPI_Win_free(&wins[w]);
    return csp_test_done();
}
